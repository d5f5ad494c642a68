/** Messages of one client in every state, most of them by bulk requests: a single send takes a request of its own. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { newClient, type TestClient } from '../http/client.ts';

const bulkPath = '/api/v1/sms/bulk';
/** Recipients with an end of their own: refused, undeliverable, expired by the carrier, without a receipt. */
const ends = ['+15005550001', '+15005550002', '+15005550003', '+15005550004'];
const readByWhatsApp = '+15005550005';
/** A schedule must be a minute ahead when its request is checked, which a busy machine does late. */
export const soonSeconds = 100;
const laterSeconds = 3600;
const [british, french] = ['+447951', '+33612'];
const message = 'Hello';

export interface Trickle {
  /** The messages that were accepted. */
  readonly ids: string[];
  /** The responses to the others. */
  readonly refused: { readonly status: number; readonly retryAfter: string | null }[];
  stop(): Promise<void>;
}

export type Traffic = Awaited<ReturnType<typeof trafficTo>>;

/** @param endpointUrl - where half of the messages report */
export async function trafficTo(endpointUrl: string) {
  const client = await newClient();
  await slowSenderTo('FR', client);
  let numbers = 0;
  const number = (prefix: string): string => {
    numbers += 1;
    return `${prefix}${String(numbers).padStart(6, '0')}`;
  };

  /** Half of the messages with a webhook, and half without. */
  async function bulk(count: number, more: object = {}, prefix = british): Promise<string[]> {
    const half = Math.ceil(count / 2);
    return [
      ...(await oneBulk(half, { ...more, webhook_url: endpointUrl }, prefix)),
      ...(await oneBulk(count - half, more, prefix)),
    ];
  }

  async function oneBulk(count: number, more: object, prefix: string): Promise<string[]> {
    if (count === 0) return [];
    const recipients = Array.from({ length: count }, () => number(prefix));
    const { status, body, text } = await client.post(bulkPath, { message, recipients, ...more });
    if (status !== 202) throw new Error(`${status}: ${text}`);
    return (body.messages as readonly { readonly message_id: string }[]).map(({ message_id }) => message_id);
  }

  async function usageByStatus(): Promise<Readonly<Record<string, number>>> {
    const { body } = await client.call('GET', '/api/v1/account/usage?group_by=status');
    const usage = body.usage as readonly { readonly status: string; readonly messages: number }[];
    return countsOf(usage.flatMap(({ status, messages }) => Array(messages).fill(status)));
  }

  return {
    client,
    bulk,

    /** Some in each final state, and `sent` without a receipt. */
    async ended(rounds: number): Promise<string[]> {
      const webhook = (round: number) => (round % 2 === 0 ? { webhook_url: endpointUrl } : {});
      const ids: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const read = client.send({ to: readByWhatsApp, message, ...webhook(round) }, '/api/v1/whatsapp/send');
        const sends = ends.map((to) => client.send({ to, message, ...webhook(round) }));
        ids.push(...(await Promise.all([...sends, read])));
      }
      return ids;
    },

    async canceled(count: number): Promise<string[]> {
      const ids = await bulk(count, { scheduled_at: inSeconds(laterSeconds) });
      for (const id of ids) {
        const { status, text } = await client.call('DELETE', `/api/v1/messages/${id}`);
        if (status !== 200) throw new Error(text);
      }
      return ids;
    },

    scheduledSoon: (count: number) => bulk(count, { scheduled_at: inSeconds(soonSeconds) }),
    scheduledLater: (count: number) => bulk(count, { scheduled_at: inSeconds(laterSeconds) }),
    /** The sender is so slow that its last messages wait for longer than the test. */
    waiting: (count: number) => bulk(count, {}, french),

    /** Sends one message a second until it is stopped. */
    trickle(): Trickle {
      let isOver = false;
      const [ids, refused]: [string[], Trickle['refused']] = [[], []];
      const ended = (async () => {
        for (; !isOver; await pause(1000)) {
          // Not by the client of the tests, to which a response with 503 is a fault.
          const response = await fetch(`${client.baseUrl}/api/v1/sms/send`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${client.apiKey}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ to: number(british), message }),
          });
          const { status, headers } = response;
          if (status === 202) ids.push(((await response.json()) as { message_id: string }).message_id);
          else refused.push({ status, retryAfter: headers.get('retry-after') });
        }
      })();
      return {
        ids,
        refused,
        stop: () => {
          isOver = true;
          return ended;
        },
      };
    },

    /** Waits until usage has counted so many messages. */
    usageOnce: (count: number) =>
      eventually(async () => {
        const counts = await usageByStatus();
        return Object.values(counts).reduce((sum, messages) => sum + messages, 0) === count
          ? true
          : undefined;
      }),

    usageByStatus,
  };
}

/** How often each value is among them. */
export function countsOf(values: readonly string[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(values, (value) => value);
  return Object.fromEntries([...groups].map(([value, { length }]) => [value, length]));
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

async function slowSenderTo(country: string, { clientId }: TestClient): Promise<void> {
  const dynamo = documentClient();
  const Item = {
    client_id: clientId,
    destination: `sms ${country}`,
    identity: `+44791${String(randomInt(10 ** 7)).padStart(7, '0')}`,
    messages_per_second: 0.05,
  };
  await dynamo.send(new PutCommand({ TableName: gateway().tables.senders, Item }));
  dynamo.destroy();
}
