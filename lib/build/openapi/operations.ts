/** The description of each operation; the compiler refuses a route without one, and one without a route. */
import type { RouteName } from '../../../shared/contract/routes.ts';
import type { Description } from './description.ts';
import { issueToken } from './operations/access.ts';
import { getAccount, getUsage, rotateWebhookSecret, updateAccount } from './operations/account.ts';
import { cancelMessage, getMessageStatus, listMessages } from './operations/messages.ts';
import { sendOtp, verifyOtp } from './operations/one-time-passwords.ts';
import { sendBulkSms, sendSms, sendWhatsApp } from './operations/sends.ts';
import { deleteSuppression, listSuppressions, putSuppression } from './operations/suppressions.ts';
import {
  getWebhookDelivery,
  getWebhookResend,
  listWebhookDeliveries,
  resendWebhookDeliveries,
  resendWebhookDelivery,
} from './operations/webhook-deliveries.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookEndpointSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from './operations/webhook-endpoints.ts';

/** Pages and metadata are no operations: nobody calls them with a generated client. */
type UndescribedRoute = 'getOpenApiDocument' | 'getRoot' | 'getDocs' | 'getDocsPage' | 'getWellKnown';

export type OperationName = Exclude<RouteName, UndescribedRoute>;

export const operations: Readonly<Record<OperationName, Description>> = {
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
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookEndpointSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
  resendWebhookDeliveries,
  getWebhookResend,
  listSuppressions,
  putSuppression,
  deleteSuppression,
};
