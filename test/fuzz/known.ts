/** Values that exist, for the cases to refer to: credentials, ids, cursors, a webhook endpoint. */

import { freshNumber } from '../support/carrier/outbox.ts';
import { gateway } from '../support/gateway/gateway.ts';
import { call } from '../support/http/client.ts';

/** Passed to hooks.py as JSON. */
export interface KnownHealth {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhookEndpoint: string;
  /** Ids of messages to look up, batches among them. */
  readonly GET: readonly string[];
  /** Ids of messages to cancel: scheduled ones, and some that were sent. */
  readonly DELETE: readonly string[];
  readonly passwords: readonly string[];
  readonly cursors: readonly string[];
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

export async function makeKnown(webhookEndpoint: string): Promise<KnownHealth> {
  const { api_key, client_id, client_secret } = gateway();
  const request = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await call(method, `/api/v1/${path}`, { body, credential: api_key });
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
  const page = await request('GET', 'messages?limit=5');
  return {
    client_id,
    client_secret,
    webhookEndpoint,
    GET: [...sent, ...scheduled, ...batches],
    DELETE: [...scheduled, ...sent.slice(0, 5)],
    passwords,
    cursors: [String(page.next_cursor)],
  };
}
