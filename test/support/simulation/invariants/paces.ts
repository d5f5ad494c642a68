/** Paces of senders, which administrators change (contract, section 14). */
import { slotWaitSecondsMax } from '../../../../shared/message/dispatch/reserve-slots.ts';
import type { Edited, OutsideRecord } from '../outside/record.ts';
import type { Plan } from '../plan.ts';
import type { Accepted } from './ended.ts';
import { distinct, type Invariant, inForceWithinMs, type Range, rowsDuring, timeOf } from './invariant.ts';

/** Answers to a call that sends nothing, and counts in no pace. */
export const sendsNothing: readonly unknown[] = ['ThrottlingException', 'throttled', 'duplicate'];
/** Errors of messages that no carrier is given, for reasons that are looked at when their turn comes, or that end before it. */
const withheldWith: readonly unknown[] = ['recipient_opted_out', 'client_disabled', 'not_needed', 'expired'];
/** So long before its turn, by its own clock, a worker may look at them. */
const lookedAtBeforeMs = slotWaitSecondsMax * 1000;

export const ofPaces = {
  'a pace is never passed': {
    promise: '14.4',
    check: (ended) => {
      const { plan, stage, accepted } = ended;
      const { record, calls } = stage;
      if (plan.skewMaxMs >= 100) return [];
      const segments = segmentsOf(accepted);
      // A process that cannot read the rows has the paces with which messages were accepted.
      const unread = calls.filter(({ about, fault }) => about === 'Senders' && fault !== undefined);
      return pacedSenders(record).flatMap((identity) => {
        const sent = record.handOvers.filter(
          // A call that arrives late was made in its slot, and a repeat that the carrier recognizes sends nothing.
          ({ from, refusedWith, call }) =>
            from === identity && !sendsNothing.includes(refusedWith) && call.fault !== 'arrives late',
        );
        const passed = sent.flatMap(({ atMs }) => {
          const { high: pace } = pacesDuring(record.edited, identity, atMs, atMs);
          // If the pace is below one, each message has its own period.
          const periodMs = pace < 1 ? Math.ceil(1000 / pace) : 1000;
          const startMs = atMs - (atMs % periodMs);
          const isUnread = unread.some((one) => one.atMs > startMs - 2 * inForceWithinMs && one.atMs < atMs);
          if (isUnread || pacesDuring(record.edited, identity, startMs, startMs + periodMs).high !== pace)
            return [];
          const together = sent.filter((one) => one.atMs >= startMs && one.atMs < startMs + periodMs);
          const count = together.reduce((sum, { messageId }) => sum + (segments.get(messageId) ?? 1), 0);
          return count > Math.max(1, pace) && together.length > 1
            ? [
                `${count} segments from ${identity} in ${periodMs} ms from ${timeOf(startMs)} on, at a pace of ${pace}`,
              ]
            : [];
        });
        return [...new Set(passed)];
      });
    },
  },
  'while a message waits for its pace, the pace is used': {
    promise: '14.4, 5.6',
    check: ({ plan, stage: { record, faults }, accepted, listed }) => {
      if (plan.severity > 0 || faults.happened.length > 0) return [];
      // With several carriers, a refused message waits before the next carrier is used, sometimes for minutes.
      if (plan.smsCarriers.length > 1) return [];
      // Clocks that are seconds wrong miss slots, and reserve others behind them.
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
          // A slot of an earlier pace below one is over at its end; a pace that was raised counts from then on.
          const slotMs = 1000 / Math.min(1, pacesDuring(record.edited, identity, 0, atMs).low);
          // Slots are times of the clocks that reserve them and wait for them.
          const neededMs = ((used + unused) / pace) * 1000 + 7000 + slotMs + 2 * plan.skewMaxMs;
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
