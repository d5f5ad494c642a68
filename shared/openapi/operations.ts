/** The description of each route; the compiler refuses a route without one, and one without a route. */
import type { RouteName } from '../routes.ts';
import type { Description } from './description.ts';
import { issueToken } from './operations/access.ts';
import { getDocs, getOpenApiDocument, getWebhookGuide } from './operations/documentation.ts';
import { getMessageStatus } from './operations/messages.ts';
import { sendSms } from './operations/sends.ts';

export const operations: Readonly<Record<RouteName, Description>> = {
  issueToken,
  sendSms,
  getMessageStatus,
  getOpenApiDocument,
  getDocs,
  getWebhookGuide,
};
