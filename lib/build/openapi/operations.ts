/** The description of each route; the compiler refuses a route without one, and one without a route. */
import type { RouteName } from '../../../shared/contract/routes.ts';
import type { Description } from './description.ts';
import { issueToken } from './operations/access.ts';
import { getAccount, getUsage, rotateWebhookSecret, updateAccount } from './operations/account.ts';
import { getDocs, getOpenApiDocument, getWebhookGuide } from './operations/documentation.ts';
import { cancelMessage, getMessageStatus, listMessages } from './operations/messages.ts';
import { sendOtp, verifyOtp } from './operations/one-time-passwords.ts';
import { sendBulkSms, sendSms, sendWhatsApp } from './operations/sends.ts';

export const operations: Readonly<Record<RouteName, Description>> = {
  issueToken,
  sendSms,
  sendBulkSms,
  sendOtp,
  verifyOtp,
  sendWhatsApp,
  getMessageStatus,
  listMessages,
  cancelMessage,
  getAccount,
  getUsage,
  updateAccount,
  rotateWebhookSecret,
  getOpenApiDocument,
  getDocs,
  getWebhookGuide,
};
