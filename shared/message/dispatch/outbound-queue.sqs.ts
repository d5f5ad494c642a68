/**
 * The queues of messages for the carriers, one for each kind of send: at-least-once delivery, unordered, fair between clients.
 *
 * Fair queues do not prevent a client's newsletter from delaying the same client's one-time passwords. So each kind has its
 * own queue and maximum concurrency. The row of the message determines the queue: if clients could set a priority, all would.
 */
import * as z from 'zod/mini';
import { type SendKind, sendKinds } from '../../contract/channels.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { sendMessages, waitingIn } from '../../platform/aws/queues.sqs.ts';
import { queueDelayMaxSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type Message, sendKindOf, waitsUntil } from '../message.ts';

export type OutboundContext = Context<OutboundUrls>;

/** A message to hand over. Its queue is fair between clients. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
  readonly kind: SendKind;
  /**
   * Set if the message waits for the pace of its sender. Until this time it is queued with one delay after another, and its
   * row is not read.
   */
  readonly until?: string;
  /** Whole seconds, at most 900, before the queue delivers it. */
  readonly delaySeconds: number;
}

/** Returns the message's entry in the queue of its kind, with the longest delay if the wait is longer. */
export function outboundEntryOf(message: Message, seconds = 0): OutboundEntry {
  return {
    messageId: message.message_id,
    clientId: message.client_id,
    kind: sendKindOf(message),
    delaySeconds: possibleDelay(seconds),
  };
}

/**
 * Returns the entry with the delay until this time, rounded up, because a message that arrives early would wait a second
 * time.
 */
export function outboundEntryAt(message: Message, time: Date, now: Date): OutboundEntry {
  return outboundEntryOf(message, Math.ceil((time.getTime() - now.getTime()) / 1000));
}

/** The fields of a message that are in the due index. */
const dueMessage = z.object({
  message_id: z.string(),
  client_id: z.string(),
  batch_id: z.optional(z.string()),
  otp: z.optional(z.unknown()),
});

/** Returns the entry of a row of the due index. @throws ZodError if the row is not valid. */
export function dueEntryOf(row: unknown, delaySeconds: number): OutboundEntry {
  const { message_id: messageId, client_id: clientId, batch_id, otp } = dueMessage.parse(row);
  return {
    messageId,
    clientId,
    kind: sendKindOf({ batch_id, otp }),
    delaySeconds: possibleDelay(delaySeconds),
  };
}

/** Returns the entry of a queued message: with a delay if it waits for the pace of its sender. */
export function queuedEntryOf(message: Message, now: Date): OutboundEntry {
  const until = waitsUntil(message);
  const entry = outboundEntryOf(message);
  return until === undefined || until <= now ? entry : waitingEntryOf(entry, until, now);
}

/** Returns the entry that reaches a worker in the second before this time, or after the longest delay. */
export function waitingEntryOf(
  { messageId, clientId, kind }: { messageId: string; clientId: string; kind: SendKind },
  until: Date,
  now: Date,
): OutboundEntry {
  const seconds = Math.floor((until.getTime() - now.getTime()) / 1000);
  return { messageId, clientId, kind, until: until.toISOString(), delaySeconds: possibleDelay(seconds) };
}

function possibleDelay(seconds: number): number {
  return Math.min(queueDelayMaxSeconds, Math.max(0, seconds));
}

/** The body of a queue message. It contains more than the id if the message waits for a pace. */
export const queuedMessage = z.object({
  message_id: z.string(),
  waits: z.optional(z.object({ until: z.iso.datetime(), client_id: z.string(), kind: z.enum(sendKinds) })),
});

export type QueuedMessage = z.output<typeof queuedMessage>;

export function queuedMessageOf(entry: OutboundEntry): QueuedMessage {
  const { messageId, clientId, kind, until } = entry;
  const waits = until === undefined ? undefined : { until, client_id: clientId, kind };
  return { message_id: messageId, waits };
}

const urlVariables = {
  otp: 'OTP_OUTBOUND_QUEUE_URL',
  single: 'OUTBOUND_QUEUE_URL',
  bulk: 'BULK_OUTBOUND_QUEUE_URL',
} as const satisfies Readonly<Record<SendKind, string>>;

export type OutboundUrls = (typeof urlVariables)[SendKind];

/**
 * Sends each entry to the queue of its kind.
 *
 * @throws RefusedEntries if a queue refused some entries permanently; all others are in their queues
 * @throws any other error if an entry may not be in its queue
 */
export async function enqueueOutbound(
  { sqs, env }: OutboundContext,
  entries: readonly OutboundEntry[],
): Promise<void> {
  const kinds = [...Map.groupBy(entries, ({ kind }) => kind)];
  await allEnded(
    kinds.map(([kind, some]) => {
      const messages = some.map((entry) => ({
        json: JSON.stringify(queuedMessageOf(entry)),
        clientId: entry.clientId,
        delaySeconds: entry.delaySeconds,
      }));
      return sendMessages(sqs(), env[urlVariables[kind]], messages);
    }),
  );
}

/** Returns about how many messages wait in the queue of a kind. */
export function waitingOutbound({ sqs, env }: OutboundContext, kind: SendKind): Promise<number> {
  return waitingIn(sqs(), env[urlVariables[kind]]);
}

/** Returns the URL of the queue that an event comes from: a queue's ARN and its URL end with its name. */
export function outboundUrlOf({ env }: OutboundContext, queueArn: string): string {
  const name = queueArn.split(':').at(-1);
  const url = Object.values(urlVariables)
    .map((variable) => env[variable])
    .find((each) => each.split('/').at(-1) === name);
  if (url === undefined) throw new Error(`${queueArn} is none of the outbound queues`);
  return url;
}
