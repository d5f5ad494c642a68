/** What `messaging-gateway-client/testing` exports, for the tests of an application that uses the client. */
export type { FakeRequest, SentMessage } from './fake-api.ts';
export { type FakeGateway, fakeGateway } from './fake-gateway.ts';
export type { FakeReply } from './fake-reply.ts';
export type { ReportedStatus } from './fake-states.ts';
export {
  type SignedWebhook,
  type SigningOptions,
  signedWebhook,
  type WebhookToSign,
} from './signed-webhook.ts';
