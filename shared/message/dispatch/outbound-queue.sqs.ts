/**
 * The queues of messages for the carriers, one for each kind of send. They deliver at least once, in any order, and fairly
 * between clients.
 *
 * Fair queues do not prevent a client's newsletter from delaying its own one-time passwords, so each kind has its own queue
 * and maximum concurrency. The row of the message determines the queue. If clients could set a priority, all of them would
 * choose the highest.
 */
import * as z from 'zod/mini';
import { type SendKind, sendKinds } from '../../contract/channels.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { sendMessages, waitingIn } from '../../platform/aws/queues.sqs.ts';
import { queueDelayMaxSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type Message, sendKindOf, waitsUntil } from '../message.ts';

export type OutboundContext = Context<OutboundUrls>;

/** A message to hand over, in a queue that is fair between clients. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
  readonly kind: SendKind;
  /**
   * Set if the message waits for its sender's pace. Until this time it is delayed several times, without a read of its row.
   */
  readonly until?: string;
  /** The delay of the queue message in whole seconds, at most 900. */
  readonly delaySeconds: number;
}

/** Returns the queue entry for a message. If the wait is longer than SQS allows, the entry has the longest delay. */
export function outboundEntryOf(message: Message, seconds = 0): OutboundEntry {
  return {
    messageId: message.message_id,
    clientId: message.client_id,
    kind: sendKindOf(message),
    delaySeconds: possibleDelay(seconds),
  };
}

/**
 * Returns the queue entry for this time. The delay is rounded up, because a message that arrives early would wait a second
 * time.
 */
export function outboundEntryAt(message: Message, time: Date, now: Date): OutboundEntry {
  return outboundEntryOf(message, Math.ceil((time.getTime() - now.getTime()) / 1000));
}

/** The fields of a message that the due index contains. */
const dueMessage = z.object({
  message_id: z.string(),
  client_id: z.string(),
  batch_id: z.optional(z.string()),
  otp: z.optional(z.unknown()),
});

/** Returns the queue entry for a row of the due index. @throws ZodError if the row is not valid. */
export function dueEntryOf(row: unknown, delaySeconds: number): OutboundEntry {
  const { message_id: messageId, client_id: clientId, batch_id, otp } = dueMessage.parse(row);
  return {
    messageId,
    clientId,
    kind: sendKindOf({ batch_id, otp }),
    delaySeconds: possibleDelay(delaySeconds),
  };
}

/** Returns the queue entry of a queued message, with a delay if it waits for its sender's pace. */
export function queuedEntryOf(message: Message, now: Date): OutboundEntry {
  const until = waitsUntil(message);
  const entry = outboundEntryOf(message);
  return until === undefined || until <= now ? entry : waitingEntryOf(entry, until, now);
}

/** Returns the entry that reaches a worker within the second before this time, or after the longest delay. */
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

/** The body of a queue message. Only a message that waits for a pace has more than the id. */
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
 * @throws RefusedEntries if a queue permanently refused some entries; all others were sent
 * @throws any other error if an entry may not have been sent
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

/** Returns the approximate number of messages that wait in the queue of this kind. */
export function waitingOutbound({ sqs, env }: OutboundContext, kind: SendKind): Promise<number> {
  return waitingIn(sqs(), env[urlVariables[kind]]);
}

/** Returns the URL of the queue with this ARN. Both end with the queue's name. */
export function outboundUrlOf({ env }: OutboundContext, queueArn: string): string {
  const name = queueArn.split(':').at(-1);
  const url = Object.values(urlVariables)
    .map((variable) => env[variable])
    .find((each) => each.split('/').at(-1) === name);
  if (url === undefined) throw new Error(`${queueArn} is none of the outbound queues`);
  return url;
}
