/** Paces of senders, which administrators change (contract, section 14). */
import { paceWaitSecondsMax } from '../../../../shared/message/dispatch/sender-pace.dynamo.ts';
import type { Edited, OutsideRecord } from '../outside/record.ts';
import type { Plan } from '../plan.ts';
import type { Accepted } from './ended.ts';
import { distinct, type Invariant, inForceWithinMs, type Range, rowsDuring, timeOf } from './invariant.ts';

/** Answers to a call that sends nothing, and counts in no pace. */
export const sendsNothing: readonly unknown[] = ['ThrottlingException', 'throttled', 'duplicate'];
/** Errors of messages that no carrier is given, for reasons that are looked at when their turn comes, or that end before it. */
const withheldWith: readonly unknown[] = ['recipient_opted_out', 'client_disabled', 'not_needed', 'expired'];
/** So long before its turn, by its own clock, a worker may look at them. */
const lookedAtBeforeMs = paceWaitSecondsMax * 1000;
/** A second shows an error at a high pace with far fewer messages than ten seconds. */
const windowsMs = [1000, 10_000];
/** A call may be so late for its place, and the clocks of two workers so far apart. */
const apartMs = 100 + 100;
const millisecondsPerStep = 1020;

export const ofPaces = {
  'a pace is never passed': {
    promise: '14.4',
    check: (ended) => {
      const { plan, stage, accepted } = ended;
      const { record, calls } = stage;
      if (plan.skewMaxMs > 50) return [];
      const segments = segmentsOf(accepted);
      // A process that cannot read the rows has the paces with which messages were accepted.
      const unread = calls.filter(({ about, fault }) => about === 'Senders' && fault !== undefined);
      return pacedSenders(record).flatMap((identity) => {
        const sent = record.handOvers.filter(
          // A call that arrives late was made in its place, and a repeat that the carrier recognizes sends nothing.
          ({ from, refusedWith, call }) =>
            from === identity && !sendsNothing.includes(refusedWith) && call.fault !== 'arrives late',
        );
        return sent.flatMap(({ atMs, messageId }) =>
          windowsMs.flatMap((windowMs) => {
            const startMs = atMs - windowMs;
            if (unread.some((one) => one.atMs > startMs - 2 * inForceWithinMs && one.atMs < atMs)) return [];
            const { high: pace } = pacesDuring(record.edited, identity, startMs, atMs);
            const before = sent.filter((one) => one.atMs > startMs && one.atMs <= atMs);
            // One message more may begin.
            const count = before.reduce((sum, one) => sum + (segments.get(one.messageId) ?? 1), 0);
            const most = (pace * (windowMs + apartMs)) / millisecondsPerStep;
            return count - (segments.get(messageId) ?? 1) > most
              ? [
                  `${count} segments from ${identity} in ${windowMs / 1000} s until ${timeOf(atMs)}, at a pace of ${pace}`,
                ]
              : [];
          }),
        );
      });
    },
  },
  'while a message waits for its pace, the pace is used': {
    promise: '14.4, 5.6',
    check: ({ plan, stage: { record, faults }, accepted, listed }) => {
      if (plan.severity > 0 || faults.happened.length > 0) return [];
      // With several carriers, a refused message waits before the next carrier is used, sometimes for minutes.
      if (plan.smsCarriers.length > 1) return [];
      // Clocks that are seconds wrong miss places, and reserve others behind them.
      if (plan.skewMaxMs > 500) return [];
      const segments = segmentsOf(accepted);
      const acceptedAt = new Map(
        distinct(accepted).map(({ messageId, asked }) => [messageId, asked.answeredAtMs ?? asked.atMs]),
      );
      return pacedSenders(record).flatMap((identity) => {
        const attempts = record.handOvers.filter(({ from }) => from === identity);
        // A carrier that throttles slows the sender down.
        const throttled = attempts.find(({ refusedWith }) => refusedWith === 'ThrottlingException');
        const first = new Map<string, number>();
        for (const { messageId, atMs } of attempts) if (!first.has(messageId)) first.set(messageId, atMs);
        const withheld = withheldFrom([...listed.values()].flat()).filter(
          ({ messageId }) => !first.has(messageId),
        );
        return distinct(accepted).flatMap(({ messageId, status }) => {
          const atMs = first.get(messageId);
          const acceptedAtMs = acceptedAt.get(messageId) ?? 0;
          if (status === undefined || atMs === undefined || status.scheduled_at !== null) return [];
          if (throttled !== undefined && throttled.atMs < atMs) return [];
          const before = attempts.filter((one) => one.atMs > acceptedAtMs && one.atMs <= atMs);
          const used = before.reduce((sum, one) => sum + (segments.get(one.messageId) ?? 1), 0);
          const unused = withheld
            .filter((one) => one.atMs > acceptedAtMs - lookedAtBeforeMs - plan.skewMaxMs && one.atMs <= atMs)
            .reduce((sum, one) => sum + one.segments, 0);
          // A waiting message follows the lowest pace since it was accepted.
          const sinceMs = Math.min(...before.map((one) => acceptedAt.get(one.messageId) ?? one.atMs));
          const { low: pace } = pacesDuring(record.edited, identity, sinceMs, atMs);
          // The step of an earlier, lower pace ends before a pace that was raised counts.
          const stepMs = 1000 / Math.min(1, pacesDuring(record.edited, identity, 0, atMs).low);
          // A message that finds no place comes again in whole seconds, and nobody may be there for a place meanwhile.
          const neededMs = (1.3 * (used + unused) * 1000) / pace + 10_000 + stepMs + 2 * plan.skewMaxMs;
          return atMs - acceptedAtMs > neededMs
            ? [
                `${messageId} waited ${Math.round((atMs - acceptedAtMs) / 1000)} s, while ${used} segments went by its sender ${identity} and ${unused} were withheld, at a pace of ${pace}`,
              ]
            : [];
        });
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/** Returns true if an administrator set a pace for the sender at some time. If no sender is given, for any sender. */
export function hasPace({ edited }: OutsideRecord, identity?: string): boolean {
  return edited.some(
    ({ row }) =>
      row?.messages_per_second !== undefined && (identity === undefined || row.identity === identity),
  );
}

/**
 * Returns true if a message may have waited for a pace before its hand-over: the pace of its sender, or of another carrier's
 * sender.
 */
export function mayHaveWaited(
  { smsCarriers }: Plan,
  record: OutsideRecord,
  from: string | undefined,
): boolean {
  return hasPace(record, smsCarriers.length > 1 ? undefined : from);
}

/** The senders whose rows only people change, not the admin API. */
function pacedSenders({ edited, asked }: OutsideRecord): readonly string[] {
  const changed = asked.map(({ body }): unknown => Reflect.get(Object(body), 'identity'));
  const names = edited.flatMap(({ row }) => (typeof row?.identity === 'string' ? [row.identity] : []));
  return [...new Set(names)].filter((name) => !changed.includes(name));
}

/** The least and the greatest pace that a sender can have had: the lowest of its rows. */
function pacesDuring(edited: readonly Edited[], identity: string, fromMs: number, untilMs: number): Range {
  const rows = Map.groupBy(
    edited.filter(({ table }) => table === 'Senders'),
    ({ key }) => JSON.stringify(key),
  );
  const paces = [...rows.values()].map((edits) =>
    rowsDuring(edits, fromMs - inForceWithinMs, untilMs).map((row) =>
      row?.identity === identity && typeof row.messages_per_second === 'number'
        ? row.messages_per_second
        : Infinity,
    ),
  );
  return {
    low: Math.min(...paces.map((some) => Math.min(...some))),
    high: Math.min(...paces.map((some) => Math.max(...some))),
  };
}

/**
 * The SMS that were withheld when their turn came, or expired before it. The place of such a message is not given back: others
 * have reserved theirs behind it by then.
 */
function withheldFrom(
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  messages: readonly any[],
): readonly { readonly messageId: string; readonly atMs: number; readonly segments: number }[] {
  return messages.flatMap(({ message_id: messageId, channel, error, segments, history }) =>
    channel === 'sms' && withheldWith.includes(error?.code)
      ? [{ messageId, atMs: Date.parse(history.at(-1).at), segments: Number(segments ?? 1) }]
      : [],
  );
}

function segmentsOf(accepted: readonly Accepted[]): ReadonlyMap<string, number> {
  return new Map(accepted.map(({ messageId, status }) => [messageId, Number(status?.segments ?? 1)]));
}
