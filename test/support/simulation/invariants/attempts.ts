/** What becomes of a message that several carriers may be asked for, and of attempts of which nothing is known. */
import type { Published } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { deadLetters, distinct, type Invariant, isUnrecorded, lastFaultMs, timeOf } from './invariant.ts';
import { hasPace } from './paces.ts';

/** Refusals that are about the carrier, not about the message: the next one may take it. */
const ownReasons: readonly unknown[] = ['ServiceQuotaExceededException', 'refused for want of credit'];
/** Errors that no carrier gave. */
const ownErrors: readonly unknown[] = [
  'recipient_opted_out',
  'client_disabled',
  'channel_off',
  'not_needed',
  'hand_over_unknown',
];
/** A review that failed is repeated within this time. */
const reviewedAgainMs = 420_000;
/** For so long after the end of a message a question that fails is repeated. */
const askedForMs = 900_000;
/** The due index is read each minute, for what is due by then. */
const settledWithinMs = 150_000;

interface ShownAttempt {
  readonly carrier: string;
  readonly at: string;
  readonly outcome: string;
}

export const ofAttempts = {
  'a message fails for reasons of a carrier only when each has refused it': {
    promise: '16.1, 16.4',
    check: (ended) =>
      severalCarriers(ended).flatMap(({ messageId, status, attempts }) => {
        if (status.status !== 'failed' || ownErrors.includes(status.error?.code)) return [];
        const handOvers = ended.stage.record.handOvers.filter((one) => one.messageId === messageId);
        const isOwn = handOvers.length > 0 && handOvers.every((one) => ownReasons.includes(one.refusedWith));
        const isKnown = handOvers.every(
          ({ call }) => call.fault === undefined && !isUnrecorded(ended.stage, call),
        );
        const left = ended.plan.smsCarriers.find((name) => attempts.every(({ carrier }) => carrier !== name));
        // An earlier call for it may have been taken for all that the gateway knows, and what is reported be about that one.
        const mayBeTaken = ended.stage.calls.some(
          ({ fault, input }) => fault !== undefined && JSON.stringify(input).includes(`"${messageId}.`),
        );
        return isOwn && isKnown && !mayBeTaken && left !== undefined
          ? [`${messageId} failed (${status.error?.code}), and ${left} was not asked`]
          : [];
      }),
  },
  'a message does not expire while its carrier can say that it was delivered': {
    promise: '16.7',
    check: (ended) => {
      const { record, calls } = ended.stage;
      const skewMs = 2 * ended.plan.skewMaxMs;
      return severalCarriers(ended).flatMap(({ messageId, status }) => {
        const endMs = Date.parse(status.expires_at);
        const delivered = record.untold.find(
          (one) =>
            one.messageId === messageId && one.status === 'delivered' && one.atMs < endMs - 5000 - skewMs,
        );
        const expiredAt = timeIn(status, 'expired');
        if (delivered === undefined || expiredAt === undefined || status.status !== 'expired') return [];
        const expiredMs = Date.parse(expiredAt);
        // A question that fails is repeated for so long; then the last one failed too.
        const isGivenUp =
          expiredMs > endMs + askedForMs - skewMs &&
          calls.some(
            ({ operation, fault, input, atMs }) =>
              operation.startsWith('GET') &&
              fault !== undefined &&
              Reflect.get(Object(input), 'messageId') === delivered.attemptId &&
              Math.abs(atMs - expiredMs) < 60_000 + skewMs,
          );
        return isGivenUp
          ? []
          : [
              `${messageId} expired at ${expiredAt}, and ${delivered.carrier} delivered it at ${timeOf(delivered.atMs)}`,
            ];
      });
    },
  },
  'what is not known of an attempt is settled in time': {
    promise: '16.2',
    check: (ended) => {
      const { plan } = ended;
      // A sender with a pace has the next attempt wait.
      if (hasPace(ended.stage.record)) return [];
      return severalCarriers(ended).flatMap(({ messageId, attempts, route }) => {
        const { otp, other } = plan.unknownDeadlines;
        const seconds = route === 'sendOtp' ? otp : other;
        return attempts.flatMap(({ at, outcome }, index) => {
          const next = attempts[index + 1]?.at;
          if (outcome !== 'unknown' || next === undefined) return [];
          const dueMs = Date.parse(at) + seconds * 1000;
          const isLate = Date.parse(next) > dueMs + settledWithinMs + 2 * plan.skewMaxMs;
          return isLate && dueMs > lastFaultMs(ended) + reviewedAgainMs
            ? [
                `the attempt of ${at} of ${messageId} was to be settled at ${timeOf(dueMs)}, and was at ${next}`,
              ]
            : [];
        });
      });
    },
  },
  'a message that may have gone out twice had two attempts': {
    promise: '16.3',
    check: ({ accepted }) =>
      distinct(accepted).flatMap(({ messageId, status }) =>
        status?.possible_duplicate === true && status.attempts.length < 2
          ? [`${messageId} is shown as a possible duplicate, with ${status.attempts.length} attempt`]
          : [],
      ),
  },
  'a message fails when all its attempts have failed': {
    promise: '16.4',
    check: (ended) => {
      const { record, sqs } = ended.stage;
      const waiting = deadLetters(sqs);
      return severalCarriers(ended).flatMap(({ messageId, status, attempts }) => {
        if (status.status !== 'expired' || waiting.some((body) => body.includes(messageId))) return [];
        const given = record.handOvers.filter((one) => one.messageId === messageId);
        const ends = [...new Set(given.map(({ attemptId }) => attemptId))].map((id) => failureOf(ended, id));
        // If an attempt reached no carrier, its end is unknown here.
        if (ends.length !== attempts.length || ends.some((atMs) => atMs === undefined)) return [];
        const failedMs = Math.max(...ends.map((atMs) => atMs ?? 0), lastFaultMs(ended));
        const last = given.at(-1);
        // If the last attempt was refused, it is retried.
        return last?.carrierMessageId === undefined ||
          failedMs > Date.parse(status.expires_at) - reviewedAgainMs
          ? []
          : [
              `${messageId} expired at ${status.expires_at}, and its last attempt failed at ${timeOf(failedMs)}`,
            ];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/** The SMS of a run with several carriers, with their attempts as they are shown. */
function severalCarriers({ plan, accepted }: Ended) {
  if (plan.smsCarriers.length < 2) return [];
  return distinct(accepted).flatMap(({ messageId, status, asked: { route } }) => {
    if (status?.channel !== 'sms') return [];
    const attempts: readonly ShownAttempt[] = status.attempts ?? [];
    return [{ messageId, status, attempts, route }];
  });
}

/** When a carrier said that the attempt does not arrive, if that is all that it said. */
function failureOf({ stage: { record } }: Ended, attemptId: string): number | undefined {
  const isOfIt = (one: { readonly attemptId: string }): boolean => one.attemptId === attemptId;
  const handOvers = record.handOvers.filter(isOfIt);
  const reports: readonly Published[] = record.published.filter(isOfIt);
  if (handOvers.length === 0 || record.untold.some(isOfIt)) return undefined;
  if (
    handOvers.every(
      ({ carrierMessageId, call }) => carrierMessageId === undefined && call.fault === undefined,
    )
  )
    return handOvers.at(-1)?.atMs;
  const isFailed = reports.length > 0 && reports.every(({ status }) => status === 'failed');
  return isFailed ? reports.at(-1)?.atMs : undefined;
}

function timeIn(
  status: { readonly history: readonly { readonly status: string; readonly at: string }[] },
  name: string,
): string | undefined {
  return status.history.find((entry) => entry.status === name)?.at;
}
