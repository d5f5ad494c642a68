/** What the package exports. */
export {
  AbortError,
  ApiError,
  ArgumentError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  ForbiddenError,
  GatewayError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  WebhookVerificationError,
} from './errors.ts';
export { MessagingGateway, type RawRequestOptions } from './gateway.ts';
export type * from './generated/schema.ts';
export type {
  GatewayOptions,
  ListOptions,
  RequestOptions,
  RequestReport,
  ResponseReport,
  SendOptions,
  TokenStore,
} from './options.ts';
export type { ListPage, Pages } from './pages.ts';
export { type ResponseInfo, responseOf } from './response.ts';
export { version } from './version.ts';
export { type AnyWebhookEvent, verifyWebhook, type WebhookHeaders } from './webhook.ts';
