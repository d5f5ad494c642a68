/** The schema of the usage response (contract, section 11). */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { capNames, capWindowNames } from '../contract/rate-limits-and-caps.ts';
import { messageTypes } from '../message/message.ts';
import { count, instant } from '../message/message-response.schema.ts';
import { described } from '../operation/fields.ts';
import { usageStatuses } from './amounts.ts';

const currency = z.string().check(z.regex(/^[A-Z]{3}$/));

/** The sums of all messages in a group. */
const usageSums = z.object({
  messages: described(count, 'How many messages were accepted in the interval.'),
  segments: described(count, 'How many segments the SMS among them take.'),
  avoidable_segments: described(count, 'How many of these segments `smart_encoding` would have saved.'),
  avoidable_cost: described(
    z.number(),
    'The cost of the avoidable segments, in `currency`: the average cost of a segment for each country and state.',
  ),
  delivered: described(count, 'How many of the messages are delivered or read.'),
  failed: described(count, 'How many of the messages failed, without expired ones.'),
  cost: described(
    z.number(),
    'The cost of the messages: the amounts that carriers reported, and estimates for all others.',
  ),
  other_costs: described(
    z.exactOptional(z.record(currency, z.number())),
    'Costs reported in other currencies, by currency; absent if there are none.',
  ),
  possible_duplicates: described(
    count,
    'How many of the messages were sent again although a carrier may already have had them (`possible_duplicate`).',
  ),
  estimated: described(z.boolean(), 'True if a part of the cost is an estimate.'),
});

const usageEntry = z.extend(usageSums, {
  from: described(instant, 'The start of the interval.'),
  to: described(instant, 'The end of the interval, exclusive.'),
  channel: described(
    z.exactOptional(z.enum(channels)),
    '`sms` or `whatsapp`; present if usage is grouped by it.',
  ),
  type: described(
    z.exactOptional(z.enum(messageTypes)),
    '`transactional` or `promotional`; present if usage is grouped by it.',
  ),
  country: described(
    z.exactOptional(z.nullable(z.string())),
    'The country of the recipients (ISO 3166-1 alpha-2), null if unknown; present if usage is grouped by it.',
  ),
  status: described(
    z.exactOptional(z.enum(usageStatuses)),
    'The state that the messages have now; present if usage is grouped by it.',
  ),
});

/** A cap of the client. `limit` and `used` are in recipients, or in the currency of the response. */
const cap = z.object({
  cap: described(z.enum(capNames), 'The capped quantity: `messages` or `spend`.'),
  window: described(z.enum(capWindowNames), 'The UTC window of the cap.'),
  limit: described(z.number(), 'The limit of the cap: a number of messages, or an amount in `currency`.'),
  used: described(z.number(), 'How much of the limit is used.'),
  resets_at: described(instant, 'When the window ends.'),
});

const usageResponse = z.object({
  currency: described(currency, 'The currency of `cost` and of caps on spend (ISO 4217).'),
  usage: described(
    z.array(usageEntry),
    'The sums of each interval and group that has messages, oldest first.',
  ),
  caps: described(z.array(cap), 'The caps that apply to the client, and how much of each is used.'),
});

export type UsageEntry = Readonly<z.output<typeof usageEntry>>;
export type UsageResponse = Readonly<z.output<typeof usageResponse>>;

/** The responses, by their names in the API document. */
export const usageResponses = {
  Usage: usageResponse,
} as const;
