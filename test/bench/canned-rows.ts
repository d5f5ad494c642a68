/** Rows that are made from their keys: everyone who knows a number knows its client, its message and their secrets. */
import { createHash } from 'node:crypto';
import { windowsAt } from '../../shared/limit/windows.ts';
import type { Message } from '../../shared/message/message.ts';
import { messageRowOf } from '../../shared/message/store/message-store.ts';
import { addSeconds } from '../../shared/platform/clock.ts';
import { derivedIdAt } from '../../shared/platform/ids.ts';
import { type Delivery, newDelivery } from '../../shared/webhook/delivery.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Rows {
  get(table: string, key: Readonly<Record<string, string>>): Row | undefined;
  query(table: string, values: readonly string[]): readonly Row[];
  /** The row whose state refuses every change, where it does. */
  refusing(table: string, key: Readonly<Record<string, string>>): Row | undefined;
}

export interface RowSettings {
  /** How many clients there are. */
  readonly clients: number;
  readonly signingKeyRow: Row;
  readonly webhookEndpointPort: number;
}

export const otpSecret = '5f'.repeat(32);
const start = new Date();
const created = addSeconds(start, -3600).toISOString();
const later = addSeconds(start, 7 * 86_400).toISOString();

/** Bytes derived from a number: ids and secrets are made of them. */
function bytesOf(kind: string, number: number): (size: number) => Buffer {
  return (size) => createHash('sha256').update(`${kind} ${number}`).digest().subarray(0, size);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const clientIdOf = (client: number): string => `client_${String(client).padStart(16, '0')}`;
export const apiKeyOf = (client: number): string => `sk-${bytesOf('key', client)(32).toString('base64url')}`;
export const clientSecretOf = (client: number): string =>
  `cs_${bytesOf('secret', client)(32).toString('base64url')}`;
export const idOf = (prefix: string, number: number): string =>
  `${prefix}_${String(number).padStart(26, '0')}`;
export const recipientOf = (number: number): string => `+4477009${String(number % 100_000).padStart(5, '0')}`;

/** The whole address space of the loopback interface, so that each endpoint has its own origin. */
export function webhookEndpointUrl(number: number, port: number): string {
  const host = `127.${1 + (number % 50)}.${Math.floor(number / 50) % 250}.${1 + (Math.floor(number / 12_500) % 250)}`;
  return `http://${host}:${port}/hook/${number}`;
}

/** Messages of higher numbers are past the end of their validity. */
const overdueFrom = 1_000_000_000;

const numberIn = (id: string): number => Number(/(\d+)$/.exec(id)?.[1] ?? 0);

export function messageOf(
  number: number,
  { clients, webhookEndpointPort }: RowSettings,
  change: Partial<Message> = {},
): Message {
  const whatsapp = number % 4 === 1;
  const otp = number % 4 === 2;
  return {
    message_id: idOf('msg', number),
    client_id: clientIdOf(number % clients),
    channel: whatsapp ? 'whatsapp' : 'sms',
    status: 'queued',
    recipient: recipientOf(number),
    type: 'transactional',
    reference: `order-${number}`,
    text: otp ? 'Your code is {{code}}.' : `Parcel ${number} arrives today between 10 and 12.`,
    ...(whatsapp ? {} : { encoding: 'GSM-7', segments: 1 }),
    ...(otp
      ? { otp: { otp_id: idOf('otp', number), code_length: 6, expires_at: later, attempts_remaining: 5 } }
      : {}),
    webhook_url: webhookEndpointUrl(number % clients, webhookEndpointPort),
    created_at: created,
    queued_at: created,
    expires_at: later,
    ...change,
  };
}

/** Due ten minutes ago, when no worker had taken it yet. */
export function deliveryOf(
  number: number,
  { clients, webhookEndpointPort }: RowSettings,
  deliveryId = idOf('whd', number),
): Delivery {
  const data = { message_id: idOf('msg', number), status: 'delivered' };
  const given = {
    delivery_id: deliveryId,
    client_id: clientIdOf(number % clients),
    message_id: data.message_id,
    event: 'sms.delivered',
    url: webhookEndpointUrl(number % clients, webhookEndpointPort),
    body: JSON.stringify({ event: 'sms.delivered', timestamp: created, data }),
    lane: 'fast',
  } as const;
  return newDelivery(given, addSeconds(start, -600), 30, `revision-${number}`);
}

export function cannedRows(settings: RowSettings): Rows {
  const { clients, webhookEndpointPort, signingKeyRow } = settings;
  const byKeyHash = new Map(
    Array.from({ length: clients }, (_, client) => [hashOf(apiKeyOf(client)), client]),
  );
  const overdue = { expires_at: addSeconds(start, -1).toISOString() };
  const messageRow = (number: number): Row =>
    messageRowOf(messageOf(number, settings, number > overdueFrom ? overdue : {}), 30);
  const apiKeyRow = (client: number): Row => ({
    key_hash: hashOf(apiKeyOf(client)),
    key_id: `key_${client}`,
    client_id: clientIdOf(client),
    created_at: created,
  });
  const clientRow = (client: number): Row => ({
    client_id: clientIdOf(client),
    name: `Client ${client}`,
    scopes: ['messages', 'admin'],
    disabled: false,
    secrets: [{ hash: hashOf(clientSecretOf(client)), created_at: created }],
    webhook_url: webhookEndpointUrl(client, webhookEndpointPort),
    created_at: created,
  });
  const activityRow = (number: number): Row => ({
    day: created.slice(0, 10),
    entry_id: derivedIdAt('act', new Date(created), String(number)),
    kind: 'webhook_failed',
    at: created,
    summary: 'sms.delivered was not acknowledged after 6 attempts: timeout',
    client_id: clientIdOf(number % clients),
    delivery_id: idOf('whd', number),
  });
  const otpRow = (number: number): Row => ({
    otp_id: idOf('otp', number),
    client_id: clientIdOf(number % clients),
    recipient: recipientOf(number),
    channel: 'sms',
    purpose: 'default',
    code_length: 6,
    max_attempts: 5,
    attempts: 0,
    status: 'pending',
    created_at: created,
    expires_at: later,
  });
  let rows = 0;

  return {
    get(table, key) {
      const [id = ''] = Object.values(key);
      const number = numberIn(id);
      switch (table) {
        case 'clients':
          return clientRow(number);
        case 'api-keys': {
          const client = byKeyHash.get(id);
          return client === undefined ? undefined : apiKeyRow(client);
        }
        case 'client-secrets':
          return {
            client_id: id,
            webhook_secrets: [
              { secret: `whsec_${bytesOf('hook', number)(32).toString('base64')}`, created_at: created },
            ],
          };
        case 'messages':
          // What is named after a key that is used for the first time is not there.
          return id.startsWith('msg_0000000000') ? messageRow(number) : undefined;
        case 'one-time-passwords':
          return id.startsWith('otp_') ? otpRow(number) : undefined;
        case 'webhook-deliveries':
          return id.startsWith('whd_') ? { ...deliveryOf(number, settings, id) } : undefined;
        case 'usage':
          return { hour: id, purge_at: 2_000_000_000, webhooks_acknowledged: 11 };
        case 'message-usage':
          return { period: id, client_id: 'client', purge_at: 2_000_000_000, 's.t.GB.d.m': 12 };
        default:
          return undefined;
      }
    },

    /** Two rows at most, other ones each time. */
    query(table, values) {
      rows += 2;
      const two = [rows - 1, rows];
      switch (table) {
        case 'messages':
          return two.map((number) => messageRow(number));
        case 'due-items': {
          const [list, shard] = values[0]?.split('#') ?? [];
          const ids = two.map((number) =>
            list === 'messages' ? idOf('msg', overdueFrom + number) : `${idOf('msg', number)}#sms.delivered`,
          );
          return shard === '0' ? [{ list: values[0], position: `${created}#${ids[0]}`, ids }] : [];
        }
        case 'limit-overrides':
          return numberIn(values[0] ?? '') % 3 === 0
            ? [{ client_id: values[0], endpoint: 'POST /api/v1/sms/send', per_minute: 5000 }]
            : [];
        case 'signing-keys':
          return [signingKeyRow];
        case 'api-keys':
          return [apiKeyRow(numberIn(values[0] ?? ''))];
        case 'clients':
          return two.map((number) => clientRow(number % clients));
        case 'activity-log':
          return two.map(activityRow);
        case 'simulator-outbox':
          return two.map((number) => ({
            message_id: idOf('msg', number),
            channel: 'sms',
            to: recipientOf(number),
            body: `Parcel ${number} arrives today.`,
            at: created,
          }));
        default:
          return [];
      }
    },

    refusing(table, key) {
      // Of the clients, every fiftieth has no room left.
      const client = numberIn((key.counter ?? '').split('|')[0] ?? '');
      return table === 'rate-counters' && client % 50 === 49 ? fullCounter() : undefined;
    },
  };
}

/** Far above any limit in the windows of this moment. */
function fullCounter(): Row {
  const { attributes } = windowsAt(new Date());
  return Object.fromEntries(Object.values(attributes).map((attribute) => [attribute, 1e9]));
}
