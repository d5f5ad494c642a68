/**
 * Every HTTP operation of the gateway as data. The CDK app, the rate-limit policies, the OpenAPI document and tests are
 * derived from it.
 */
import type { PolicyName } from './rate-limits-and-caps.ts';

/** The scope `messages` is for the API, and `admin` for the admin API (contract, section 3). */
export const scopes = ['messages', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY';
  /** The path in API Gateway's form: `{name}` is one segment, and `{proxy+}` the rest of the path. */
  readonly path: string;
  /** The function's file in `functions/`. */
  readonly functionName: string;
  readonly policy: PolicyName;
  /** The scope that the caller's token must have; null if no token is needed. */
  readonly scope: Scope | null;
}

/**
 * The time limit of functions for requests. It is below API Gateway's limit of 29 s, so that every response comes from the
 * function.
 */
export const requestTimeoutSeconds = 20;

/** The functions that accept messages, for which alarms are separate from those for reads and administration. */
export const sendFunctions = ['send-sms', 'send-bulk-sms', 'send-whatsapp', 'send-otp'] as const;

/**
 * The functions whose 5xx responses count as failed sends. Token requests and verifications are included, because clients
 * cannot send or sign in without them.
 */
export const failingSends: readonly string[] = [...sendFunctions, 'issue-token', 'verify-otp'];

/**
 * Returns the operations of one function, by name. Their requests are counted together, and need a token of the same scope.
 * @param operations - the method and the path of each
 */
function servedBy<const FunctionName extends string, const Access extends Scope | null, Name extends string>(
  functionName: FunctionName,
  policy: PolicyName,
  scope: Access,
  operations: Readonly<Record<Name, readonly [method: Route['method'], path: string]>>,
) {
  const made = Object.entries<(typeof operations)[Name]>(operations).map(([name, operation]) => {
    const [method, path] = operation;
    return [name, { method, path, functionName, policy, scope } satisfies Route];
  });
  type ServedRoute = Route & { readonly functionName: FunctionName; readonly scope: Access };
  return Object.fromEntries(made) as Readonly<Record<Name, ServedRoute>>;
}

/**
 * The public API. Paths are relative to the base URL. The call is marked as pure, so that bundles omit it if they do not
 * use it.
 */
export const routes = /* @__PURE__ */ publicRoutes();

function publicRoutes() {
  return {
    ...servedBy('issue-token', 'auth_token', null, {
      issueToken: ['POST', '/api/v1/auth/token'],
    }),
    ...servedBy('send-sms', 'sms_send', 'messages', {
      sendSms: ['POST', '/api/v1/sms/send'],
    }),
    ...servedBy('send-bulk-sms', 'sms_bulk', 'messages', {
      sendBulkSms: ['POST', '/api/v1/sms/bulk'],
    }),
    ...servedBy('send-otp', 'otp_send', 'messages', {
      sendOtp: ['POST', '/api/v1/otp/send'],
    }),
    ...servedBy('verify-otp', 'otp_verify', 'messages', {
      verifyOtp: ['POST', '/api/v1/otp/verify'],
    }),
    ...servedBy('send-whatsapp', 'whatsapp_send', 'messages', {
      sendWhatsApp: ['POST', '/api/v1/whatsapp/send'],
    }),
    ...servedBy('get-message-status', 'sms_status', 'messages', {
      getMessageStatus: ['GET', '/api/v1/sms/status/{message_id}'],
    }),
    ...servedBy('list-messages', 'messages', 'messages', {
      listMessages: ['GET', '/api/v1/messages'],
      listTestOutbox: ['GET', '/api/v1/test/outbox'],
    }),
    ...servedBy('cancel-message', 'messages', 'messages', {
      cancelMessage: ['DELETE', '/api/v1/messages/{message_id}'],
    }),
    ...servedBy('get-account', 'account', 'messages', {
      getAccount: ['GET', '/api/v1/account'],
      getUsage: ['GET', '/api/v1/account/usage'],
    }),
    ...servedBy('update-account', 'account', 'messages', {
      updateAccount: ['PATCH', '/api/v1/account'],
    }),
    ...servedBy('rotate-webhook-secret', 'account', 'messages', {
      rotateWebhookSecret: ['POST', '/api/v1/account/webhook-secret'],
    }),
    ...servedBy('webhook-endpoints', 'webhooks', 'messages', {
      createWebhookEndpoint: ['POST', '/api/v1/webhook-endpoints'],
      listWebhookEndpoints: ['GET', '/api/v1/webhook-endpoints'],
      getWebhookEndpoint: ['GET', '/api/v1/webhook-endpoints/{endpoint_id}'],
      updateWebhookEndpoint: ['PATCH', '/api/v1/webhook-endpoints/{endpoint_id}'],
      deleteWebhookEndpoint: ['DELETE', '/api/v1/webhook-endpoints/{endpoint_id}'],
      rotateWebhookEndpointSecret: ['POST', '/api/v1/webhook-endpoints/{endpoint_id}/secret'],
      testWebhookEndpoint: ['POST', '/api/v1/webhook-endpoints/{endpoint_id}/test'],
    }),
    ...servedBy('webhook-deliveries', 'webhooks', 'messages', {
      listWebhookDeliveries: ['GET', '/api/v1/webhook-deliveries'],
      getWebhookDelivery: ['GET', '/api/v1/webhook-deliveries/{delivery_id}'],
      resendWebhookDelivery: ['POST', '/api/v1/webhook-deliveries/{delivery_id}/resend'],
      resendWebhookDeliveries: ['POST', '/api/v1/webhook-deliveries/resend'],
      getWebhookResend: ['GET', '/api/v1/webhook-deliveries/resend/{resend_id}'],
    }),
    ...servedBy('suppressions', 'suppressions', 'messages', {
      listSuppressions: ['GET', '/api/v1/suppressions'],
      putSuppression: ['PUT', '/api/v1/suppressions/{recipient}'],
      deleteSuppression: ['DELETE', '/api/v1/suppressions/{recipient}'],
    }),
    // The documentation needs no token, and its requests are counted by source address.
    ...servedBy('describe-api', 'unmatched', null, {
      getOpenApiDocument: ['GET', '/openapi.json'],
      getRoot: ['GET', '/'],
      getDocs: ['GET', '/docs'],
      getDocsPage: ['GET', '/docs/{page}'],
      getWellKnown: ['GET', '/.well-known/{document}'],
    }),
  };
}

export type RouteName = keyof typeof routes;

/** The routes for administrators (contract, section 8), without the admin API's own routes (`admin-api-routes.ts`). */
export const adminRoutes = /* @__PURE__ */ administratorsRoutes();

function administratorsRoutes() {
  return {
    ...servedBy('admin-api', 'admin', 'admin', {
      adminApi: ['ANY', '/admin/api/{proxy+}'],
    }),
    ...servedBy('admin-dashboard', 'admin', null, {
      adminDashboard: ['GET', '/admin'],
      adminDashboardFile: ['GET', '/admin/assets/{file}'],
    }),
  };
}

/** Carriers call this route with receipts and inbound messages (contract, section 16). */
export const carrierRoutes = /* @__PURE__ */ servedBy('carrier-callback', 'unmatched', null, {
  carrierCallback: ['ANY', '/carriers/{carrier}/{proxy+}'],
});

/** Returns 405 if a known path does not have the method, and 404 for every unknown path. */
export const unmatchedRoute = {
  method: 'ANY',
  path: '/{proxy+}',
  functionName: 'refuse-unmatched',
  policy: 'unmatched',
  scope: null,
} as const satisfies Route;

/** The gateway's version. A test compares it with package.json. */
export const version = '0.1.0';

/**
 * Stands for the gateway's own URL in the API document, which is built before the URL is known. describe-api replaces it.
 */
export const baseUrlMarker = 'https://base-url.invalid';

/** API Gateway's stage, which is the first part of the path unless the gateway has its own domain name. */
export const apiStageName = 'live';
