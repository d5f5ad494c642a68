/** A client of the deployed gateway that belongs to one test: what it sends counts on nobody else. */
import { randomInt } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoOutbox } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import type { OutboxEntry } from '../../../shared/carrier/simulator/outbox.ts';
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { type PolicyName, policies } from '../../../shared/contract/routes.ts';
import { dynamoOverrideEditor } from '../../../shared/rate-limit/overrides.dynamo.ts';
import { documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { type Answer, httpCall } from './http-call.ts';

interface CallOptions {
  readonly body?: unknown;
  /** The `Idempotency-Key`. */
  readonly key?: string;
}

export interface SendingClient {
  readonly clientId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  post(path: string, body: unknown, key?: string): Promise<Answer>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The status once the message has reached it. */
  statusOnce(messageId: unknown, wanted: string): Promise<Record<string, unknown>>;
}

interface ClientWishes {
  readonly countries?: readonly string[];
  readonly senders?: readonly string[];
  readonly webhookUrl?: string;
}

/** Above what a test can send, written before the first request, so that no function remembers others. */
const wideLimits = { perMinute: 20_000, perHour: 1_000_000, perDay: 10_000_000 };

export async function sendingClient(wishes: ClientWishes = {}): Promise<SendingClient> {
  const dynamo = documentClient();
  const { tables } = gateway();
  const admin = dynamoClientAdmin(dynamo, tables);
  const wanted = { name: 'Sender', scopes: ['messages'] as const };
  const { client, webhookSecret } = await createClient(
    admin,
    wishes.webhookUrl === undefined ? wanted : { ...wanted, webhookUrl: wishes.webhookUrl },
    new Date(),
  );
  const clientId = client.client_id;
  const overrides = dynamoOverrideEditor(dynamo, tables.limit_overrides ?? '');
  for (const policy of Object.keys(policies) as PolicyName[])
    await overrides.set(clientId, policy, wideLimits);
  for (const list of ['countries', 'senders'] as const) {
    if (wishes[list] === undefined) continue;
    await dynamo.send(
      new UpdateCommand({
        TableName: tables.clients,
        Key: { client_id: clientId },
        UpdateExpression: 'SET #list = :values',
        ExpressionAttributeNames: { '#list': list },
        ExpressionAttributeValues: { ':values': wishes[list] },
      }),
    );
  }
  const { apiKey } = await createApiKey(admin, clientId, new Date());
  dynamo.destroy();

  const call: SendingClient['call'] = (method, path, options = {}) =>
    httpCall(method, path, {
      ...options,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(options.key === undefined ? {} : { 'Idempotency-Key': options.key }),
      },
    });
  return {
    clientId,
    apiKey,
    webhookSecret,
    call,
    post: (path, body, key) => call('POST', path, { body, ...(key === undefined ? {} : { key }) }),
    statusOnce: (messageId, wantedStatus) =>
      eventually(
        async () => {
          const { status, body } = await call('GET', `/api/v1/sms/status/${String(messageId)}`);
          return status === 200 && body.status === wantedStatus ? body : undefined;
        },
        { withinSeconds: 90, everyMilliseconds: 300 },
      ),
  };
}

/** A British mobile number that no other test sends to. */
export function freshNumber(): string {
  // A range of Great Britain itself: some beside it are of Jersey, Guernsey and Man.
  return `+44795${String(randomInt(10 ** 7)).padStart(7, '0')}`;
}

/** What the simulated carrier took for a number, newest first. */
export async function outboxOf(to: string): Promise<OutboxEntry[]> {
  const dynamo = documentClient();
  try {
    return await dynamoOutbox(dynamo, gateway().tables.simulator_outbox ?? '', 1).list({ to }, 2000);
  } finally {
    dynamo.destroy();
  }
}

/** The outbox of a number, once it holds so many. */
export function outboxOnce(to: string, count: number): Promise<OutboxEntry[]> {
  return eventually(
    async () => {
      const entries = await outboxOf(to);
      return entries.length >= count ? entries : undefined;
    },
    { withinSeconds: 90, everyMilliseconds: 200 },
  );
}
