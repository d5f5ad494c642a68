/** What `messaging-gateway-client/testing` exports, for the tests of an application that uses the client. */
export type { FakeReply, FakeRequest, SentMessage } from './fake-api.ts';
export { type FakeGateway, fakeGateway, type ReportedStatus } from './fake-gateway.ts';
export {
  type SignedWebhook,
  type SigningOptions,
  signedWebhook,
  type WebhookToSign,
} from './signed-webhook.ts';
