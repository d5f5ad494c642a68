/**
 * Every HTTP operation of the gateway, as data: the source of the API and its functions in the CDK app, of each
 * function's rate-limit policy, of the OpenAPI document, and of tests.
 */
import type { PolicyName } from './limits.ts';

/** `messages` for the API, `admin` for the admin API (contract, section 3). */
export const scopes = ['messages', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY';
  /** The path in the form of API Gateway: `{name}` is one segment, `{proxy+}` is the rest of the path. */
  readonly path: string;
  /** The file in `functions/` that handles it. */
  readonly functionName: string;
  readonly policy: PolicyName;
  /** The scope that the caller's token must have; null where no token is needed. */
  readonly scope: Scope | null;
  /** The names of its query parameters; none by default. */
  readonly query?: readonly string[];
}

/** The time limit of a function that handles requests: below API Gateway's of 29 s, so that every response is the function's. */
export const requestTimeoutSeconds = 20;

/** The public API. Paths are relative to the base URL. */
export const routes = {
  issueToken: {
    method: 'POST',
    path: '/api/v1/auth/token',
    functionName: 'issue-token',
    policy: 'auth_token',
    scope: null,
  },
  sendSms: {
    method: 'POST',
    path: '/api/v1/sms/send',
    functionName: 'send-sms',
    policy: 'sms_send',
    scope: 'messages',
    query: ['dry_run'],
  },
  sendBulkSms: {
    method: 'POST',
    path: '/api/v1/sms/bulk',
    functionName: 'send-bulk-sms',
    policy: 'sms_bulk',
    scope: 'messages',
    query: ['dry_run'],
  },
  sendOtp: {
    method: 'POST',
    path: '/api/v1/otp/send',
    functionName: 'send-otp',
    policy: 'otp_send',
    scope: 'messages',
    query: ['dry_run'],
  },
  verifyOtp: {
    method: 'POST',
    path: '/api/v1/otp/verify',
    functionName: 'verify-otp',
    policy: 'otp_verify',
    scope: 'messages',
  },
  sendWhatsApp: {
    method: 'POST',
    path: '/api/v1/whatsapp/send',
    functionName: 'send-whatsapp',
    policy: 'whatsapp_send',
    scope: 'messages',
    query: ['dry_run'],
  },
  getMessageStatus: {
    method: 'GET',
    path: '/api/v1/sms/status/{message_id}',
    functionName: 'get-message-status',
    policy: 'sms_status',
    scope: 'messages',
  },
  listMessages: {
    method: 'GET',
    path: '/api/v1/messages',
    functionName: 'list-messages',
    policy: 'messages',
    scope: 'messages',
    query: ['reference', 'status', 'channel', 'direction', 'since', 'until', 'limit', 'cursor'],
  },
  listTestOutbox: {
    method: 'GET',
    path: '/api/v1/test/outbox',
    functionName: 'list-messages',
    policy: 'messages',
    scope: 'messages',
    query: ['to', 'limit', 'cursor'],
  },
  cancelMessage: {
    method: 'DELETE',
    path: '/api/v1/messages/{message_id}',
    functionName: 'cancel-message',
    policy: 'messages',
    scope: 'messages',
  },
  getAccount: {
    method: 'GET',
    path: '/api/v1/account',
    functionName: 'get-account',
    policy: 'account',
    scope: 'messages',
  },
  getUsage: {
    method: 'GET',
    path: '/api/v1/account/usage',
    functionName: 'get-account',
    policy: 'account',
    scope: 'messages',
    query: ['since', 'until', 'interval', 'group_by'],
  },
  updateAccount: {
    method: 'PATCH',
    path: '/api/v1/account',
    functionName: 'update-account',
    policy: 'account',
    scope: 'messages',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/v1/account/webhook-secret',
    functionName: 'rotate-webhook-secret',
    policy: 'account',
    scope: 'messages',
  },
  createWebhookEndpoint: {
    method: 'POST',
    path: '/api/v1/webhook-endpoints',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  listWebhookEndpoints: {
    method: 'GET',
    path: '/api/v1/webhook-endpoints',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  getWebhookEndpoint: {
    method: 'GET',
    path: '/api/v1/webhook-endpoints/{endpoint_id}',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  updateWebhookEndpoint: {
    method: 'PATCH',
    path: '/api/v1/webhook-endpoints/{endpoint_id}',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/api/v1/webhook-endpoints/{endpoint_id}',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  rotateWebhookEndpointSecret: {
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{endpoint_id}/secret',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  testWebhookEndpoint: {
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{endpoint_id}/test',
    functionName: 'webhook-endpoints',
    policy: 'webhooks',
    scope: 'messages',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/api/v1/webhook-deliveries',
    functionName: 'webhook-deliveries',
    policy: 'webhooks',
    scope: 'messages',
    query: ['message_id', 'endpoint_id', 'state', 'event', 'since', 'until', 'limit', 'cursor'],
  },
  getWebhookDelivery: {
    method: 'GET',
    path: '/api/v1/webhook-deliveries/{delivery_id}',
    functionName: 'webhook-deliveries',
    policy: 'webhooks',
    scope: 'messages',
  },
  resendWebhookDelivery: {
    method: 'POST',
    path: '/api/v1/webhook-deliveries/{delivery_id}/resend',
    functionName: 'webhook-deliveries',
    policy: 'webhooks',
    scope: 'messages',
  },
  resendWebhookDeliveries: {
    method: 'POST',
    path: '/api/v1/webhook-deliveries/resend',
    functionName: 'webhook-deliveries',
    policy: 'webhooks',
    scope: 'messages',
  },
  getWebhookResend: {
    method: 'GET',
    path: '/api/v1/webhook-deliveries/resend/{resend_id}',
    functionName: 'webhook-deliveries',
    policy: 'webhooks',
    scope: 'messages',
  },
  listSuppressions: {
    method: 'GET',
    path: '/api/v1/suppressions',
    functionName: 'suppressions',
    policy: 'suppressions',
    scope: 'messages',
    query: ['recipient', 'limit', 'cursor'],
  },
  putSuppression: {
    method: 'PUT',
    path: '/api/v1/suppressions/{recipient}',
    functionName: 'suppressions',
    policy: 'suppressions',
    scope: 'messages',
  },
  deleteSuppression: {
    method: 'DELETE',
    path: '/api/v1/suppressions/{recipient}',
    functionName: 'suppressions',
    policy: 'suppressions',
    scope: 'messages',
  },
  // The documentation needs no token; requests without a client are counted by source address.
  getOpenApiDocument: {
    method: 'GET',
    path: '/openapi.json',
    functionName: 'describe-api',
    policy: 'unmatched',
    scope: null,
  },
  getRoot: {
    method: 'GET',
    path: '/',
    functionName: 'describe-api',
    policy: 'unmatched',
    scope: null,
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    functionName: 'describe-api',
    policy: 'unmatched',
    scope: null,
  },
  getDocsPage: {
    method: 'GET',
    path: '/docs/{page}',
    functionName: 'describe-api',
    policy: 'unmatched',
    scope: null,
  },
  getWellKnown: {
    method: 'GET',
    path: '/.well-known/{document}',
    functionName: 'describe-api',
    policy: 'unmatched',
    scope: null,
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** The administrators' routes (contract, section 8); those inside the admin API are in `admin/http/admin-routes.ts`. */
export const adminRoutes = {
  adminApi: {
    method: 'ANY',
    path: '/admin/api/{proxy+}',
    functionName: 'admin-api',
    policy: 'admin',
    scope: 'admin',
  },
  adminDashboard: {
    method: 'GET',
    path: '/admin',
    functionName: 'admin-dashboard',
    policy: 'admin',
    scope: null,
  },
  adminDashboardFile: {
    method: 'GET',
    path: '/admin/assets/{file}',
    functionName: 'admin-dashboard',
    policy: 'admin',
    scope: null,
  },
} as const satisfies Record<string, Route>;

/** Carriers call it with receipts and messages from people (contract, section 16). */
export const carrierRoutes = {
  carrierCallback: {
    method: 'ANY',
    path: '/carriers/{carrier}/{proxy+}',
    functionName: 'carrier-callback',
    policy: 'carrier_callback',
    scope: null,
  },
} as const satisfies Record<string, Route>;

/** Answers every method of a known path that has no route (405), and every unknown path (404). */
export const unmatchedRoute = {
  method: 'ANY',
  path: '/{proxy+}',
  functionName: 'refuse-unmatched',
  policy: 'unmatched',
  scope: null,
} as const satisfies Route;
