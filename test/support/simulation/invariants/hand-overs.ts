/** What carriers get, and when. */
import type { Accepted } from './ended.ts';
import { distinct, type Invariant, timeOf } from './invariant.ts';

export const ofHandOvers = {
  'nothing is handed over twice': {
    promise: '5.1, 14.7',
    check: ({ stage: { record, calls, processDeaths } }) =>
      [...Map.groupBy(record.handOvers, ({ messageId }) => messageId)].flatMap(([messageId, handOvers]) => {
        const taken = handOvers.filter(({ carrierMessageId }) => carrierMessageId !== undefined);
        const unexcused = taken.slice(0, -1).filter(({ call }) => {
          const isAfter = (one: { readonly process: string; readonly atMs: number }): boolean =>
            one.process === call.process && one.atMs >= call.atMs && one.atMs <= call.atMs + 60_000;
          const notRecorded = calls.some(
            (one) => one.about === 'Messages' && one.fault !== undefined && isAfter(one),
          );
          return call.fault === undefined && !processDeaths.some(isAfter) && !notRecorded;
        });
        return unexcused.length > 0
          ? [
              `${messageId} was handed over ${taken.length} times, at ${taken.map(({ atMs }) => timeOf(atMs)).join(', ')}`,
            ]
          : [];
      }),
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
        if (last.atMs > endMs + 10_000)
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
    check: ({ accepted, stage: { record } }) =>
      distinct(accepted).flatMap(({ messageId, status }) => {
        if (status === undefined || record.handOvers.some((one) => one.messageId === messageId)) return [];
        // A reason that the client is told, or a validity that its own outages used up.
        const validMs = Date.parse(status.expires_at) - Date.parse(status.scheduled_at ?? status.created_at);
        const isTold =
          status.status === 'canceled' || (status.error !== null && status.error.code !== 'expired');
        return isTold || validMs < 800_000
          ? []
          : [`${messageId} was accepted, and ended ${status.status} without having been given to a carrier`];
      }),
  },
  'a message waits for nobody else’s': {
    promise: '1.8',
    check: ({ plan, stage: { record, faults }, accepted }) =>
      plan.severity > 0 || faults.happened.length > 0 || plan.senders.length > 0
        ? []
        : distinct(accepted).flatMap(({ messageId, asked, status }) => {
            if (status === undefined || status.scheduled_at !== null) return [];
            const first = record.handOvers.find((one) => one.messageId === messageId);
            const waitedMs = (first?.atMs ?? 0) - (asked.answeredAtMs ?? asked.atMs);
            return waitedMs > 20_000
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
            if (first === undefined || plan.senders.length > 0) return [];
            const lateMs = first.atMs - Date.parse(status.scheduled_at);
            return lateMs > 15_000
              ? [
                  `${messageId} was scheduled for ${status.scheduled_at}, and handed over ${Math.round(lateMs / 1000)} s later`,
                ]
              : [];
          }),
  },
  'a pace is never passed': {
    promise: '14.4',
    check: ({ stage: { record }, plan, accepted }) => {
      const pace = plan.senders[0]?.messages_per_second;
      if (typeof pace !== 'number') return [];
      const segments = segmentsOf(accepted);
      const seconds = Map.groupBy(
        record.handOvers.filter(
          ({ from, refusedWith }) => from === '+447418367358' && refusedWith !== 'ThrottlingException',
        ),
        ({ atMs }) => Math.floor(atMs / 1000),
      );
      return [...seconds].flatMap(([second, handOvers]) => {
        const sent = handOvers.reduce((sum, { messageId }) => sum + (segments.get(messageId) ?? 1), 0);
        const alone = handOvers.length === 1;
        return sent > pace && !alone && plan.skewMaxMs < 100
          ? [`${sent} segments in the second of ${timeOf(second * 1000)}, at a pace of ${pace}`]
          : [];
      });
    },
  },

  'while a message waits for its pace, the pace is used': {
    promise: '14.4, 5.6',
    check: ({ plan, stage: { record, faults }, accepted }) => {
      const sender = plan.senders[0];
      if (sender === undefined || plan.severity > 0 || faults.happened.length > 0) return [];
      const pace = Number(sender.messages_per_second);
      const attempts = record.handOvers.filter(({ from }) => from === sender.identity);
      // A carrier that throttles slows the sender down.
      const throttled = attempts.find(({ refusedWith }) => refusedWith === 'ThrottlingException');
      const first = new Map<string, number>();
      for (const { messageId, atMs } of attempts) if (!first.has(messageId)) first.set(messageId, atMs);
      const segments = segmentsOf(accepted);
      return distinct(accepted).flatMap(({ messageId, asked, status }) => {
        const atMs = first.get(messageId);
        if (status === undefined || atMs === undefined || status.scheduled_at !== null) return [];
        if (throttled !== undefined && throttled.atMs < atMs) return [];
        const acceptedAtMs = asked.answeredAtMs ?? asked.atMs;
        const used = attempts
          .filter((one) => one.atMs > acceptedAtMs && one.atMs <= atMs)
          .reduce((sum, one) => sum + (segments.get(one.messageId) ?? 1), 0);
        const neededMs = (used / pace) * 1000 + 15_000;
        return atMs - acceptedAtMs > neededMs
          ? [
              `${messageId} waited ${Math.round((atMs - acceptedAtMs) / 1000)} s, while ${used} segments went by its sender, which has a pace of ${pace}`,
            ]
          : [];
      });
    },
  },

  'a leg is left out only where another reaches the carrier': {
    promise: '14.7',
    check: ({ listed, stage: { record } }) =>
      [...listed.values()].flat().flatMap(({ message_id, fallback_of, error, otp }) => {
        if (error?.code !== 'not_needed' || otp !== undefined) return [];
        const send = fallback_of ?? message_id;
        const legs = [...listed.values()]
          .flat()
          .filter((one) => one.message_id === send || one.fallback_of === send);
        const given = legs.some((leg) =>
          record.handOvers.some((one) => one.messageId === leg.message_id && one.messageId !== message_id),
        );
        return given
          ? []
          : [`${message_id} was left out as not needed, and no other leg of ${send} was given to a carrier`];
      }),
  },
} as const satisfies Record<string, Invariant>;

function segmentsOf(accepted: readonly Accepted[]): ReadonlyMap<string, number> {
  return new Map(accepted.map(({ messageId, status }) => [messageId, Number(status?.segments ?? 1)]));
}
