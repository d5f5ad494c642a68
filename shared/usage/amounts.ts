/**
 * Computes the amounts that a message adds to usage, from only its row. Usage is the sum over all messages: each change
 * adds the new row's amounts and subtracts the old row's. `count-changes.ts` selects the periods.
 */
import * as z from 'zod/mini';
import type { Channel } from '../contract/channels.ts';
import { messageCostMax } from '../contract/prices.ts';
import { millionthsPerUnit } from '../contract/rate-limits-and-caps.ts';
import { type Message, messageSchema, type Status } from '../message/message.ts';

/** Each count is an attribute of a usage row, with a short name: `s.t.GB.d.m` counts the messages of one combination. */
const channelCodes = { sms: 's', whatsapp: 'w' } as const satisfies Record<Channel, string>;
const typeCodes = { transactional: 't', promotional: 'p' } as const satisfies Record<Message['type'], string>;
const statusCodes = {
  scheduled: 'sc',
  queued: 'q',
  sent: 's',
  failed: 'f',
  expired: 'e',
  delivered: 'd',
  read: 'r',
  canceled: 'c',
} as const satisfies Record<UsageStatus, string>;
const unknownCountry = '-';
const errorPrefix = 'error';

/** The internal state `sending` counts as `queued`. Inbound messages are not counted. */
type UsageStatus = Exclude<Status, 'sending' | 'received'>;

export const usageStatuses = Object.keys(statusCodes) as UsageStatus[];

/** The amounts by attribute, as integers; absent ones are 0. */
export type Amounts = ReadonlyMap<string, number>;

/** Accepts only values that DynamoDB can add or store in a key, so that an edited row cannot stop the counting. */
const countedFields = z.object({
  client_id: z.string().check(z.regex(/^[^*]{1,255}$/)),
  channel: messageSchema().shape.channel,
  type: messageSchema().shape.type,
  status: messageSchema().shape.status,
  created_at: messageSchema().shape.created_at,
  country: z.exactOptional(z.string().check(z.regex(/^[A-Z0-9]{2,3}$/))),
  segments: z.exactOptional(z.int().check(z.minimum(0), z.maximum(1000))),
  avoidable_segments: z.exactOptional(z.int().check(z.minimum(0), z.maximum(1000))),
  error_code: z.exactOptional(z.string().check(z.minLength(1), z.maxLength(100))),
  cost: z.exactOptional(z.number().check(z.minimum(0), z.maximum(messageCostMax))),
  currency: z.exactOptional(z.string().check(z.regex(/^[A-Z]{3}$/))),
  cost_reported: messageSchema().shape.cost_reported,
  possible_duplicate: messageSchema().shape.possible_duplicate,
});

/** The fields of a message that determine its usage. */
export type CountedMessage = Readonly<z.output<typeof countedFields>>;

/** Returns undefined if the row is invalid, such as after an edit. It then adds no amounts until it is corrected. */
export function parseCountedMessage(row: unknown): CountedMessage | undefined {
  return countedFields.safeParse(row).data;
}

/** Avoidable segments do not count in these states, which also keeps a row below the 400 KB of DynamoDB. */
const notHandedOver: readonly Status[] = ['scheduled', 'queued', 'sending', 'canceled'];

export function amountsOf(message: CountedMessage): Amounts {
  const { channel, type, country = unknownCountry, status, segments, avoidable_segments } = message;
  const { cost, currency, error_code } = message;
  if (status === 'received') return new Map();
  const combination = [
    channelCodes[channel],
    typeCodes[type],
    country,
    statusCodes[status === 'sending' ? 'queued' : status],
  ].join('.');
  const amounts = new Map([[`${combination}.m`, 1]]);
  if (channel === 'sms' && segments !== undefined) amounts.set(`${combination}.s`, segments);
  if (avoidable_segments !== undefined && !notHandedOver.includes(status))
    amounts.set(`${combination}.a`, avoidable_segments);
  if (cost !== undefined && currency !== undefined) {
    amounts.set(`${combination}.${currency}`, Math.round(cost * millionthsPerUnit));
    if (message.cost_reported !== true) amounts.set(`${combination}.e`, 1);
  }
  if (message.possible_duplicate === true) amounts.set(`${combination}.p`, 1);
  if (error_code !== undefined) amounts.set(`${errorPrefix}.${error_code}`, 1);
  return amounts;
}

/** The sums for one combination of channel, type, country and state. */
export interface Combination {
  readonly channel: Channel;
  readonly type: Message['type'];
  /** ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null;
  readonly status: UsageStatus;
  /** A cost is in millionths of its currency. */
  readonly measure:
    | 'messages'
    | 'segments'
    | 'avoidable_segments'
    | 'estimated'
    | 'possible_duplicates'
    | { readonly currency: string };
  readonly amount: number;
}

const measures: Readonly<Record<string, Combination['measure']>> = {
  m: 'messages',
  s: 'segments',
  a: 'avoidable_segments',
  e: 'estimated',
  p: 'possible_duplicates',
};
const channels = inverted(channelCodes);
const types = inverted(typeCodes);
const statuses = inverted(statusCodes);

/** Decodes the attributes, without those of error codes. */
export function combinationsIn(amounts: Amounts): Combination[] {
  return [...amounts].flatMap(([name, amount]) => {
    const [channelCode = '', typeCode = '', country = '', statusCode = '', measure = ''] = name.split('.');
    const [channel, type, status] = [channels[channelCode], types[typeCode], statuses[statusCode]];
    if (channel === undefined || type === undefined || status === undefined) return [];
    return [
      {
        channel,
        type,
        country: country === unknownCountry ? null : country,
        status,
        measure: measures[measure] ?? { currency: measure },
        amount,
      },
    ];
  });
}

/** Returns how many messages currently have each error code. */
export function errorCodesIn(amounts: Amounts): Map<string, number> {
  return new Map(
    [...amounts]
      .filter(([name, amount]) => name.startsWith(`${errorPrefix}.`) && amount !== 0)
      .map(([name, amount]) => [name.slice(errorPrefix.length + 1), amount]),
  );
}

function inverted<Name extends string>(
  codes: Readonly<Record<Name, string>>,
): Record<string, Name | undefined> {
  return Object.fromEntries(Object.entries<string>(codes).map(([name, code]) => [code, name as Name]));
}
