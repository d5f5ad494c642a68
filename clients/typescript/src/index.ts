/** What the package exports. */
export {
  ApiError,
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
export { MessagingGateway } from './gateway.ts';
export type * from './generated/schema.ts';
export type { Pages } from './pages.ts';
export type { GatewayOptions, RequestOptions, SendOptions } from './transport.ts';
export { type AnyWebhookEvent, verifyWebhook, type WebhookHeaders } from './webhook.ts';
