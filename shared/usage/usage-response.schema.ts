/** The form of the answer about usage (contract, section 11). */
import * as z from 'zod/mini';
import { capWindowNames } from '../contract/caps.ts';
import { channels } from '../contract/channels.ts';
import { capNames } from '../contract/limit-rows.ts';
import { messageTypes } from '../message/message.ts';
import { count, instant } from '../message/message-response.schema.ts';
import { usageStatuses } from './amounts.ts';

const currency = z.string().check(z.regex(/^[A-Z]{3}$/));

/** The sums of all messages of a group. */
const usageSums = z.object({
  messages: count,
  segments: count,
  delivered: count,
  failed: count,
  cost: z.number(),
  /** Costs that are not in the currency of the answer, by currency; absent if there are none. */
  other_costs: z.exactOptional(z.record(currency, z.number())),
  estimated: z.boolean(),
});

const usageEntry = z.extend(usageSums, {
  from: instant,
  to: instant,
  channel: z.exactOptional(z.enum(channels)),
  type: z.exactOptional(z.enum(messageTypes)),
  country: z.exactOptional(z.nullable(z.string())),
  status: z.exactOptional(z.enum(usageStatuses)),
});

/** A cap of the client; `limit` and `used` in recipients, or in the currency of the answer. */
const cap = z.object({
  cap: z.enum(capNames),
  window: z.enum(capWindowNames),
  limit: z.number(),
  used: z.number(),
  resets_at: instant,
});

export const usageAnswer = z.object({
  currency,
  usage: z.array(usageEntry),
  caps: z.array(cap),
});

export type UsageSums = Readonly<z.output<typeof usageSums>>;
export type UsageEntry = Readonly<z.output<typeof usageEntry>>;
export type UsageAnswer = Readonly<z.output<typeof usageAnswer>>;
