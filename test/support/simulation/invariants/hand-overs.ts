/** What carriers get, and when. */
import type { Faults } from '../faults.ts';
import type { Ended } from './ended.ts';
import { distinct, type Invariant, isUnrecorded, timeOf } from './invariant.ts';
import { mayHaveWaited, sendsNothing } from './paces.ts';

/** A message whose hand-over failed is received again after 45 s; twice that and some more. */
const handOverRepeatMs = 100_000;
/** With these a carrier does not take a message now, and may later. */
const notRefused: readonly unknown[] = [...sendsNothing, 'ExpiredTokenException'];

/** The due index finds a message within two minutes, and after a second loss within four. */
const foundWithinMs = 400_000;
/** The queue delivers a message again so long after a call for it that failed or was late, at most. */
const againAfterMs = 60_000;

export const ofHandOvers = {
  'nothing is handed over twice, unless its sender prefers that to nothing and is told': {
    promise: '5.1, 14.7, 16.2, 16.3',
    check: (ended) => {
      const { record, calls, processDeaths } = ended.stage;
      const messages = new Map([...ended.listed.values()].flat().map((one) => [one.message_id, one]));
      return [...Map.groupBy(record.handOvers, ({ messageId }) => messageId)].flatMap(
        ([messageId, handOvers]) => {
          const taken = handOvers.filter(({ carrierMessageId }) => carrierMessageId !== undefined);
          if (taken.length < 2) return [];
          const unexcused = taken.slice(0, -1).filter(({ call }) => {
            const isAfter = (one: { readonly process: string; readonly atMs: number }): boolean =>
              one.process === call.process && one.atMs >= call.atMs && one.atMs <= call.atMs + 60_000;
            const notRecorded = calls.some(
              (one) => one.about === 'Messages' && one.fault !== undefined && isAfter(one),
            );
            return call.fault === undefined && !processDeaths.some(isAfter) && !notRecorded;
          });
          const times = taken.map(({ atMs }) => timeOf(atMs)).join(', ');
          const choice = onUnknownOf(ended, messages.get(messageId));
          if (unexcused.length > 0 || choice !== 'send_again')
            return [
              `${messageId}, with the rule "${choice}", was handed over ${taken.length} times, at ${times}`,
            ];
          return messages.get(messageId)?.possible_duplicate === true
            ? []
            : [`${messageId} was handed over at ${times}, and is not shown as a possible duplicate`];
        },
      );
    },
  },
  'only accepted messages are handed over': {
    promise: '5.1',
    check: ({ stage: { record }, listed }) => {
      const known = new Set([...listed.values()].flat().map(({ message_id }) => message_id));
      return record.handOvers.flatMap(({ messageId }) =>
        known.has(messageId) ? [] : [`${messageId} was handed over, and no client has it`],
      );
    },
  },
  'nothing is handed over after its end': {
    promise: '5.3, 6.1',
    check: ({ stage: { record }, accepted, plan }) =>
      distinct(accepted).flatMap(({ messageId, status }) => {
        if (status === undefined) return [];
        const last = record.handOvers.findLast((one) => one.messageId === messageId);
        if (last === undefined) return [];
        const endMs = Date.parse(status.expires_at) + plan.skewMaxMs;
        // A call may arrive late.
        if (last.call.atMs > endMs + 10_000)
          return [
            `${messageId} was valid until ${status.expires_at}, and handed over at ${timeOf(last.atMs)}`,
          ];
        if (
          status.scheduled_at !== null &&
          last.atMs < Date.parse(status.scheduled_at) - plan.skewMaxMs - 1000
        )
          return [
            `${messageId} was scheduled for ${status.scheduled_at}, and handed over at ${timeOf(last.atMs)}`,
          ];
        return status.status === 'canceled' ? [`${messageId} was canceled, and handed over`] : [];
      }),
  },
  'an accepted message is handed over': {
    promise: '5.1',
    check: ({ plan, accepted, stage: { record, faults, calls } }) =>
      distinct(accepted).flatMap(({ messageId, status }) => {
        if (status === undefined || record.handOvers.some((one) => one.messageId === messageId)) return [];
        // A reason that the client is told, or a validity that outages used up.
        const fromMs = Date.parse(status.scheduled_at ?? status.created_at);
        const untilMs = Date.parse(status.expires_at);
        const isTold =
          status.status === 'canceled' || (status.error !== null && status.error.code !== 'expired');
        // If the worker died before its call, the gateway cannot know that the carrier did not get the message.
        const mayHaveIt = status.attempts?.some(({ outcome }: { outcome: string }) => outcome === 'unknown');
        // A few bulks use up a validity of half an hour then.
        const isSlow = record.edited.some(({ row }) => Number(row?.messages_per_second) < 1);
        const failures = calls.filter(
          ({ process, input }) =>
            process.startsWith('dispatch-message ') && JSON.stringify(input ?? '').includes(messageId),
        ).length;
        // Clocks that are minutes wrong miss the places of a paced sender, and then take others.
        const leastMs = Math.max(foundWithinMs, failures * againAfterMs) + 4 * plan.skewMaxMs;
        return isTold ||
          mayHaveIt ||
          isSlow ||
          untilMs - fromMs < leastMs ||
          workersFailFromTo(faults, fromMs, untilMs)
          ? []
          : [`${messageId} was accepted, and ended ${status.status} without having been given to a carrier`];
      }),
  },
  'somebody looks at a message within two minutes of the time at which it is due': {
    promise: '5.1, 6.4',
    check: ({ stage: { record } }) => [...record.overdue],
  },
  'a message waits for nobody else’s': {
    promise: '1.8',
    check: ({ plan, stage: { record, faults }, accepted }) =>
      plan.severity > 0 || faults.happened.length > 0
        ? []
        : distinct(accepted).flatMap(({ messageId, asked, status }) => {
            if (status === undefined || status.scheduled_at !== null) return [];
            const first = record.handOvers.find((one) => one.messageId === messageId);
            if (mayHaveWaited(plan, record, first?.from)) return [];
            const waitedMs = (first?.atMs ?? 0) - (asked.answeredAtMs ?? asked.atMs);
            // A claim that a worker has ended by its own clock holds until then for one whose clock is behind.
            return waitedMs > 20_000 + 2 * plan.skewMaxMs
              ? [`${messageId} was handed over ${Math.round(waitedMs / 1000)} s after it was accepted`]
              : [];
          }),
  },
  'a scheduled message goes at its time': {
    promise: '5.3',
    check: ({ stage: { record, faults }, accepted, plan }) =>
      plan.severity > 0 || faults.happened.length > 0
        ? []
        : distinct(accepted).flatMap(({ messageId, status }) => {
            if (!status?.scheduled_at || status.error?.code === 'recipient_opted_out') return [];
            const first = record.handOvers.find((one) => one.messageId === messageId);
            if (first === undefined || mayHaveWaited(plan, record, first.from)) return [];
            const lateMs = first.atMs - Date.parse(status.scheduled_at);
            return lateMs > 15_000 + 2 * plan.skewMaxMs
              ? [
                  `${messageId} was scheduled for ${status.scheduled_at}, and handed over ${Math.round(lateMs / 1000)} s later`,
                ]
              : [];
          }),
  },
  'a carrier that refused a message is not asked for it again': {
    promise: '16.1',
    check: ({ stage }) =>
      stage.record.handOvers.flatMap(({ messageId, attemptId, carrier, refusedWith, atMs, call }) => {
        if (refusedWith === undefined || notRefused.includes(refusedWith) || call.fault !== undefined)
          return [];
        const again = stage.record.handOvers.find(
          (one) =>
            one.messageId === messageId &&
            one.carrier === carrier &&
            one.attemptId !== attemptId &&
            one.atMs > atMs,
        );
        if (again === undefined) return [];
        // A refused repeat proves nothing about the call before it.
        const isRepeat = stage.calls.some(
          (one) =>
            one.fault !== undefined &&
            one.atMs < call.atMs &&
            JSON.stringify(one.input).includes(`"${attemptId}"`),
        );
        return isRepeat || isUnrecorded(stage, call)
          ? []
          : [`${messageId} was refused by ${carrier}, and given to it again at ${timeOf(again.atMs)}`];
      }),
  },

  'a leg is left out only where another reaches the carrier, or may have': {
    promise: '14.7',
    check: ({ listed, stage: { record, faults } }) =>
      [...listed.values()].flat().flatMap(({ message_id, fallback_of, error }) => {
        if (error?.code !== 'not_needed') return [];
        const send = fallback_of ?? message_id;
        const legs = [...listed.values()]
          .flat()
          .filter((one) => one.message_id === send || one.fallback_of === send);
        const others = legs.filter((leg) => leg.message_id !== message_id);
        // A leg that the relay missed is found minutes later, and may have expired.
        const isMissed = (leg: { readonly status: string }) =>
          leg.status === 'expired' && faults.happened.some(({ point }) => point.startsWith('relay-changes '));
        // If the outcome of an attempt is unknown, the carrier may have the message, and `wait` makes no other attempt.
        const given = others.some(
          (leg) =>
            isMissed(leg) ||
            leg.attempts?.some(({ outcome }: { readonly outcome: string }) => outcome === 'unknown') ===
              true ||
            record.handOvers.some((one) => one.messageId === leg.message_id),
        );
        return given
          ? []
          : [`${message_id} was left out as not needed, and no other leg of ${send} was given to a carrier`];
      }),
  },
} as const satisfies Record<string, Invariant>;

/** Returns true if no period without a fault was long enough for a worker to find the message and to repeat a hand-over. */
function workersFailFromTo({ happened }: Faults, fromMs: number, untilMs: number): boolean {
  const times = happened
    .filter(
      ({ point, kind, atMs }) =>
        atMs > fromMs &&
        atMs < untilMs &&
        (/^(relay-changes|dispatch-message) /.test(point) ||
          // A run that dies, or that is skipped, finds nothing.
          (/^queue-due-rows /.test(point) && /^dies /.test(kind)) ||
          (/QueueDueRows timer/.test(point) && kind === 'is not run')),
    )
    .map(({ atMs }) => atMs);
  return [...times, untilMs].every((atMs, i) => atMs - (times[i - 1] ?? fromMs) < handOverRepeatMs);
}

/** The rule of the stage for the kind of the message; legs are of the kind of the send before them. */
function onUnknownOf(
  { accepted, plan }: Ended,
  message: { readonly message_id: string; readonly fallback_of?: string } | undefined,
): string {
  const first = message?.fallback_of ?? message?.message_id;
  const asked = accepted.find(({ messageId }) => messageId === first)?.asked;
  if (asked === undefined) return 'send_again';
  const { otp, promotional, other } = plan.onUnknown;
  if (asked.route === 'sendOtp') return otp;
  return Reflect.get(Object(asked.body), 'type') === 'promotional' ? promotional : other;
}
