/** What `messaging-gateway-client/testing` exports: signed webhooks, for the tests of an application that receives them. */
export {
  type SignedWebhook,
  type SigningOptions,
  signedWebhook,
  type WebhookToSign,
} from './signed-webhook.ts';
