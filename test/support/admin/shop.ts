/** A shop: a client that an administrator created, with a delivered message whose webhooks have failed. */
import { call } from '../http/client.ts';
import type { CallResponse } from '../http/http-call.ts';
import { failForGood } from '../webhook/final-failure.ts';
import {
  type RecoveringWebhookEndpoint,
  startRecoveringWebhookEndpoint,
} from '../webhook/recovering-endpoint.ts';

export interface Shop {
  /** The fields of the responses that made the client and its key. */
  readonly client: Readonly<Record<string, string>>;
  readonly apiKey: Readonly<Record<string, string>>;
  /** The id of the message whose reference is `order-42`. */
  readonly messageId: string;
  /** The id of the webhook that reported the message as sent. */
  readonly deliveryId: string;
  /** Refuses each webhook, also one that is resent, until the test closes it. */
  readonly webhookEndpoint: RecoveringWebhookEndpoint;
}

/** Calls the gateway with an access token or an API key. */
export const as = (token: string, method: string, path: string, body?: unknown): Promise<CallResponse> =>
  call(method, path, { credential: token, ...(body === undefined ? {} : { body }) });

/** @param admin - an access token of the administrator @param person - the recipient of the message */
export async function startShop(admin: string, person: string): Promise<Shop> {
  const webhookEndpoint = await startRecoveringWebhookEndpoint();
  webhookEndpoint.answer = { status: 500, body: 'down' };
  const created = await as(admin, 'POST', '/admin/api/clients', {
    name: 'Shop',
    webhook_url: webhookEndpoint.url,
  });
  const client = created.body as Shop['client'];
  const keys = `/admin/api/clients/${client.client_id}/api-keys`;
  const apiKey = (await as(admin, 'POST', keys, {})).body as Shop['apiKey'];
  const sent = await as(apiKey.api_key ?? '', 'POST', '/api/v1/sms/send', {
    to: person,
    message: 'Hello',
    reference: 'order-42',
  });
  const messageId = String(sent.body.message_id);
  const [failed] = await Promise.all([
    failForGood(messageId, 'sms.sent'),
    failForGood(messageId, 'sms.delivered'),
  ]);
  return { client, apiKey, messageId, deliveryId: failed.delivery_id, webhookEndpoint };
}
