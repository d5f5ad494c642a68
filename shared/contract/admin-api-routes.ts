/** Every operation of the admin API as data, for its router, the dashboard and the tests. */

export const adminApiRoutes = {
  listActivity: { method: 'GET', path: '/admin/api/activity' },
  listClients: { method: 'GET', path: '/admin/api/clients' },
  listClientNames: { method: 'GET', path: '/admin/api/client-names' },
  createClient: { method: 'POST', path: '/admin/api/clients' },
  showClient: { method: 'GET', path: '/admin/api/clients/{client_id}' },
  changeClient: { method: 'PATCH', path: '/admin/api/clients/{client_id}' },
  rotateClientSecret: { method: 'POST', path: '/admin/api/clients/{client_id}/secret' },
  endPreviousSecret: { method: 'DELETE', path: '/admin/api/clients/{client_id}/previous-secret' },
  rotateWebhookSecret: { method: 'POST', path: '/admin/api/clients/{client_id}/webhook-secret' },
  createApiKey: { method: 'POST', path: '/admin/api/clients/{client_id}/api-keys' },
  revokeApiKey: { method: 'DELETE', path: '/admin/api/clients/{client_id}/api-keys/{key_id}' },
  listOverrides: { method: 'GET', path: '/admin/api/limits' },
  showLimits: { method: 'GET', path: '/admin/api/clients/{client_id}/limits' },
  countFailedWebhooks: { method: 'GET', path: '/admin/api/clients/{client_id}/failed-webhooks' },
  diagnoseClient: { method: 'GET', path: '/admin/api/clients/{client_id}/diagnosis' },
  showWebhookHealth: { method: 'GET', path: '/admin/api/clients/{client_id}/webhooks' },
  setLimits: { method: 'PATCH', path: '/admin/api/clients/{client_id}/limits' },
  explainLimits: { method: 'GET', path: '/admin/api/clients/{client_id}/limits/explain' },
  removeLimits: { method: 'POST', path: '/admin/api/clients/{client_id}/limits/remove' },
  listSenders: { method: 'GET', path: '/admin/api/senders' },
  setSender: { method: 'PATCH', path: '/admin/api/senders' },
  removeSender: { method: 'POST', path: '/admin/api/senders/remove' },
  listCarriers: { method: 'GET', path: '/admin/api/carriers' },
  searchMessages: { method: 'GET', path: '/admin/api/messages' },
  search: { method: 'GET', path: '/admin/api/search' },
  showMessage: { method: 'GET', path: '/admin/api/messages/{message_id}' },
  cancelMessage: { method: 'POST', path: '/admin/api/messages/{message_id}/cancel' },
  resendWebhook: { method: 'POST', path: '/admin/api/webhooks/{delivery_id}/resend' },
  showWebhook: { method: 'GET', path: '/admin/api/webhooks/{delivery_id}' },
  listWebhookEndpoints: { method: 'GET', path: '/admin/api/clients/{client_id}/webhook-endpoints' },
  testWebhookEndpoint: {
    method: 'POST',
    path: '/admin/api/clients/{client_id}/webhook-endpoints/{endpoint_id}/test',
  },
  listWebhookDeliveries: { method: 'GET', path: '/admin/api/clients/{client_id}/webhook-deliveries' },
  resendWebhookDeliveries: {
    method: 'POST',
    path: '/admin/api/clients/{client_id}/webhook-deliveries/resend',
  },
  showWebhookResend: {
    method: 'GET',
    path: '/admin/api/clients/{client_id}/webhook-deliveries/resend/{resend_id}',
  },
  listSuppressions: { method: 'GET', path: '/admin/api/clients/{client_id}/suppressions' },
  putSuppression: { method: 'PUT', path: '/admin/api/clients/{client_id}/suppressions/{recipient}' },
  deleteSuppression: { method: 'DELETE', path: '/admin/api/clients/{client_id}/suppressions/{recipient}' },
  sendInbound: { method: 'POST', path: '/admin/api/inbound' },
  listUsage: { method: 'GET', path: '/admin/api/usage/messages' },
  summarizeUsage: { method: 'GET', path: '/admin/api/usage/summary' },
  listOutbox: { method: 'GET', path: '/admin/api/outbox' },
  listOtpHolds: { method: 'GET', path: '/admin/api/otp-holds' },
  allowOtps: { method: 'POST', path: '/admin/api/clients/{client_id}/otp-holds/{country}/allow' },
  showAttention: { method: 'GET', path: '/admin/api/attention' },
  showAbout: { method: 'GET', path: '/admin/api/about' },
} as const satisfies Record<
  string,
  {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
  }
>;

export type AdminApiRouteName = keyof typeof adminApiRoutes;

export type PathParameter<Name extends AdminApiRouteName> = ParameterIn<
  (typeof adminApiRoutes)[Name]['path']
>;

type ParameterIn<Path extends string> = Path extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParameterIn<Rest>
  : never;
