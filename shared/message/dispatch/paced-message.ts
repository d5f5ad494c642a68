/** The pace of a message's sender, and what depends on it: how long messages take, and when a bulk ends. */
import type { SendKind } from '../../contract/channels.ts';
import { modeOf } from '../../contract/mode.ts';
import type { Context } from '../../platform/context.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { CurrentPaceOf } from '../../sender/current-pace.ts';
import { type Message, type Status, sendKindOf, waitsUntil } from '../message.ts';

export interface PacedMessage {
  readonly identity: string;
  readonly kind: SendKind;
  /** Segments per second. */
  readonly perSecond: number;
  readonly segments: number;
}

/** A step is longer than the pace requires, for the reason in sender-pace.dynamo.ts. */
const millisecondsPerStep = 1020;

/** Returns how long the message takes at its sender's pace, in milliseconds, rounded up to a microsecond. */
export function stepMsOf({ segments, perSecond }: PacedMessage): number {
  return Math.ceil((segments * millisecondsPerStep * 1000) / perSecond) / 1000;
}

/**
 * Returns the message's data for pacing; undefined if its sender has no pace.
 *
 * @param perSecond - the current pace of the sender; by default, the pace when the message was accepted
 */
export function pacedMessageOf(message: Message, perSecond?: number): PacedMessage | undefined {
  const { identity, messages_per_second = 0 } = message.sender ?? {};
  const pace = perSecond ?? messages_per_second;
  if (identity === undefined || !(pace > 0)) return undefined;
  return {
    // Test messages have their own row, so that they do not use up the pace of live messages. The key cannot equal an
    // identity, which never contains a space.
    identity: modeOf(message.client_id) === 'test' ? `test ${identity}` : identity,
    kind: sendKindOf(message),
    perSecond: pace,
    segments: message.segments ?? 1,
  };
}

/**
 * Returns the message with its sender's current pace. If the rows cannot be read, uses the pace when the message was
 * accepted.
 */
export async function pacedNow(
  { currentPaceOf, warn }: Context & { readonly currentPaceOf: CurrentPaceOf },
  message: Message,
): Promise<PacedMessage | undefined> {
  const { channel, sender } = message;
  if (sender === undefined) return undefined;
  const current = await currentPaceOf(channel, sender.identity).catch((error: unknown) =>
    warn('the current pace of the sender could not be read', error),
  );
  return pacedMessageOf(message, current ?? undefined);
}

/** The time that storing and relaying the messages of a bulk takes. */
const storingMs = 1000;

/**
 * Sets the time at which each message of a bulk reaches a worker, before the messages are stored, and adds them to their
 * senders' lines. A scheduled bulk does not join the line yet, so its times assume that its senders send nothing else.
 *
 * @param join - adds messages to their sender's line, and returns the time of the first
 */
export async function lineUp(
  join: (message: PacedMessage, fromMs: number, stepMs: number) => Promise<number>,
  messages: readonly Message[],
  now: Date,
): Promise<{
  readonly messages: readonly Message[];
  /** When the last message is expected to be handed over; undefined if no sender of the bulk has a pace. */
  readonly expectedEndAt?: Date;
}> {
  const times = new Map<string, string>();
  const ends = await Promise.all(
    bySender(messages).map(async ([first, ...others]) => {
      const { scheduled_at } = first.message;
      const [fromMs, stepMs] = [now.getTime() + storingMs, stepMsOfAll([first, ...others])];
      let atMs =
        scheduled_at === undefined ? await join(first.paced, fromMs, stepMs) : Date.parse(scheduled_at);
      for (const { message, paced } of [first, ...others]) {
        times.set(message.message_id, new Date(atMs).toISOString());
        atMs += stepMsOf(paced);
      }
      return atMs;
    }),
  );
  if (ends.length === 0) return { messages };
  return {
    messages: messages.map((message) => ({
      ...message,
      ...withoutUndefined({ handover_until: times.get(message.message_id) }),
    })),
    expectedEndAt: new Date(Math.max(...ends)),
  };
}

const waitingStates: ReadonlySet<Status> = new Set(['scheduled', 'queued', 'sending']);

/**
 * Returns when the last waiting message of a batch should be handed over; undefined if none of them has a sender with a
 * pace.
 */
export function expectedEndOf(messages: readonly Message[], now: Date): Date | undefined {
  const waiting = messages.filter(({ status }) => waitingStates.has(status));
  const ends = bySender(waiting).flatMap((some) => [
    // A message that finds no place returns later, so all messages together take at least the sum of their steps.
    now.getTime() + stepMsOfAll(some),
    ...some.map(({ message, paced }) => (waitsUntil(message)?.getTime() ?? 0) + stepMsOf(paced)),
  ]);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

interface WithPace {
  readonly message: Message;
  readonly paced: PacedMessage;
}

/** Groups the messages whose senders have a pace. */
function bySender(messages: readonly Message[]) {
  const withPace = messages.flatMap((message): WithPace[] => {
    const paced = pacedMessageOf(message);
    return paced === undefined ? [] : [{ message, paced }];
  });
  return [...Map.groupBy(withPace, ({ paced }) => paced.identity).values()] as [WithPace, ...WithPace[]][];
}

function stepMsOfAll(some: readonly WithPace[]): number {
  return some.reduce((sum, { paced }) => sum + stepMsOf(paced), 0);
}
