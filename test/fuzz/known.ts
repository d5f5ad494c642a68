/** Values that exist, for the cases to refer to: credentials, ids, cursors, a webhook endpoint. */

import { endpointsMax } from '../../shared/webhook/webhook-endpoint.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { call, type TestClient } from '../support/http/client.ts';

/** Passed to hooks.py as JSON. */
interface KnownHealth {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhookEndpoint: string;
  /** Ids of messages to look up, batches among them. */
  readonly GET: readonly string[];
  /** Ids of messages to cancel: scheduled ones, and some that were sent. */
  readonly DELETE: readonly string[];
  readonly passwords: readonly string[];
  readonly endpoint_id: readonly string[];
  readonly delivery_id: readonly string[];
  readonly resend_id: readonly string[];
  readonly cursors: readonly string[];
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

export async function makeKnown(
  { clientId: client_id, clientSecret: client_secret, apiKey }: TestClient,
  webhookEndpoint: string,
): Promise<KnownHealth> {
  const request = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await call(method, `/api/v1/${path}`, { body, credential: apiKey });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const several = async (
    count: number,
    field: string,
    path: string,
    body: () => unknown,
  ): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => request('POST', path, body())));
    return answers.map((answer) => String(answer[field]));
  };
  const sms = (): object => ({ to: freshNumber(), message: 'Hello' });
  const sent = await several(20, 'message_id', 'sms/send', sms);
  const scheduled = await several(20, 'message_id', 'sms/send', () => ({
    ...sms(),
    scheduled_at: inAnHour(),
  }));
  const batches = await several(5, 'batch_id', 'sms/bulk', () => ({
    message: 'Hello',
    recipients: [freshNumber(), freshNumber()],
  }));
  const passwords = await several(50, 'otp_id', 'otp/send', () => ({
    to: freshNumber(),
    max_attempts: 10,
    ttl: 3600,
  }));
  // They leave room for one more, and get no event of a message.
  const endpoints = await several(endpointsMax - 1, 'endpoint_id', 'webhook-endpoints', () => ({
    url: webhookEndpoint,
    events: ['webhook_endpoint.disabled'],
  }));
  const [endpoint_id] = endpoints;
  const deliveries = await several(5, 'delivery_id', `webhook-endpoints/${endpoint_id}/test`, () => ({}));
  const selection = { endpoint_id, since: new Date(Date.now() - 3_600_000).toISOString() };
  const resends = await several(2, 'resend_id', 'webhook-deliveries/resend', () => selection);
  const page = await request('GET', 'messages?limit=5');
  return {
    client_id,
    client_secret,
    webhookEndpoint,
    GET: [...sent, ...scheduled, ...batches],
    DELETE: [...scheduled, ...sent.slice(0, 5)],
    passwords,
    endpoint_id: endpoints,
    delivery_id: deliveries,
    resend_id: resends,
    cursors: [String(page.next_cursor)],
  };
}
