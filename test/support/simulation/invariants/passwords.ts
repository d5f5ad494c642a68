/** One-time passwords, from the requests about them and the responses. */
import type { Asked } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { distinct, type Invariant, timeOf } from './invariant.ts';

const windowMs = 600_000;
const sendsMax = 5;

export const ofPasswords = {
  'an attempt counts once': {
    promise: '5.10',
    check: ({ stage: { record } }) => {
      const verified = record.asked.filter(({ route }) => route === 'verifyOtp');
      return verified.flatMap(({ body, status, answer, answeredAtMs = 0 }) => {
        const otpId = Reflect.get(Object(body), 'otp_id');
        const most = mostAttempts(record.asked, otpId);
        const isExhausted = status === 409 && answer?.error === 'otp_attempts_exhausted';
        const left = isExhausted ? 0 : answer?.attempts_remaining;
        if (most === undefined || typeof left !== 'number') return [];
        const asked = verified.filter(
          (one) => Reflect.get(Object(one.body), 'otp_id') === otpId && one.atMs <= answeredAtMs,
        );
        const counted = isExhausted ? asked.length - 1 : asked.length;
        return left < most - counted
          ? [`${otpId} has ${left} of ${most} attempts left after ${counted} requests`]
          : [];
      });
    },
  },
  'a password is verified once': {
    promise: '5.10',
    check: ({ stage: { record } }) => {
      const verified = record.asked.filter(
        ({ route, status, answer }) => route === 'verifyOtp' && status === 200 && answer.verified === true,
      );
      return [...Map.groupBy(verified, ({ answer }) => String(answer.otp_id))].flatMap(([otpId, answers]) =>
        answers.length > 1
          ? [`${otpId} was verified at ${answers.map(({ atMs }) => timeOf(atMs)).join(' and ')}`]
          : [],
      );
    },
  },
  'a pending password keeps its id and its end': {
    promise: '5.8',
    check: ({ stage: { record }, plan }) => {
      const sent = record.asked.filter(({ route, status }) => route === 'sendOtp' && status === 202);
      const groups = Map.groupBy(sent, ({ clientId, body }) => {
        const { to, purpose = 'default' } = body as { to: string; purpose?: string };
        return `${clientId} ${to} ${purpose}`;
      });
      return [...groups].flatMap(([name, sends]) =>
        sends.flatMap((later) => {
          if (later.headers?.['Idempotent-Replayed'] !== undefined) return [];
          const isPending = (earlier: Asked): boolean =>
            (earlier.answeredAtMs ?? Infinity) < later.atMs &&
            Date.parse(earlier.answer.expires_at) > (later.answeredAtMs ?? 0) + plan.skewMaxMs &&
            attemptsOf(record.asked, earlier.answer.otp_id).every(
              ({ answer, status, lost }) => status === 200 && answer.verified === false && lost !== true,
            ) &&
            attemptsOf(record.asked, earlier.answer.otp_id).length <
              (mostAttempts(record.asked, earlier.answer.otp_id) ?? 0);
          const earlier = sends.findLast(isPending);
          return earlier === undefined ||
            (earlier.answer.otp_id === later.answer.otp_id &&
              earlier.answer.expires_at === later.answer.expires_at)
            ? []
            : [
                `${name} got ${later.answer.otp_id} at ${timeOf(later.atMs)}, while ${earlier.answer.otp_id} was pending`,
              ];
        }),
      );
    },
  },
  'a recipient gets five passwords in a window of ten minutes': {
    promise: '5.8',
    check: ({ stage: { record }, plan: { skewMaxMs } }) => {
      const sent = record.asked.filter(
        ({ route, status, headers }) =>
          route === 'sendOtp' && status === 202 && headers?.['Idempotent-Replayed'] === undefined,
      );
      const counted = new Map<string, Set<unknown>>();
      for (const { clientId, body, answer, atMs, answeredAtMs = Infinity } of sent) {
        const window = Math.floor((atMs - skewMaxMs) / windowMs);
        // It is unknown in which of two windows the message counts.
        if (answeredAtMs + skewMaxMs >= (window + 1) * windowMs) continue;
        const name = `${clientId} ${String(Reflect.get(Object(body), 'to'))} from ${timeOf(window * windowMs)}`;
        counted.set(name, (counted.get(name) ?? new Set()).add(answer.message_id));
      }
      return [...counted].flatMap(([name, ids]) =>
        ids.size > sendsMax ? [`${name} got ${ids.size} passwords`] : [],
      );
    },
  },
  'a password reaches who is suppressed for messages only': {
    promise: '13.3',
    check: ({ accepted, stage: { record } }: Ended) =>
      distinct(accepted).flatMap(({ messageId, asked, to, client, status }) => {
        if (asked.route !== 'sendOtp' || status?.error?.code !== 'recipient_opted_out') return [];
        const wasRefused = record.handOvers.some((one) => one.messageId === messageId);
        const isForAll = record.asked.some(
          ({ route, clientId, path, body }) =>
            route === 'putSuppression' &&
            clientId === client.clientId &&
            decodeURIComponent(path).endsWith(to) &&
            Reflect.get(Object(body), 'scope') === 'all',
        );
        return wasRefused || isForAll
          ? []
          : [
              `${messageId} is a one-time password, and was withheld from ${to}, who opted out of messages only`,
            ];
      }),
  },
} as const satisfies Record<string, Invariant>;

function attemptsOf(asked: readonly Asked[], otpId: unknown): Asked[] {
  return asked.filter(
    ({ route, body }) => route === 'verifyOtp' && Reflect.get(Object(body), 'otp_id') === otpId,
  );
}

/** The least that a request said which may have made the password. */
function mostAttempts(asked: readonly Asked[], otpId: unknown): number | undefined {
  const sends = asked.filter(({ route }) => route === 'sendOtp');
  const sent = sends.find(({ answer }) => answer?.otp_id === otpId);
  if (sent === undefined) return undefined;
  const to: unknown = Reflect.get(Object(sent.body), 'to');
  const same = sends.filter(
    ({ clientId, body }) => clientId === sent.clientId && Reflect.get(Object(body), 'to') === to,
  );
  return Math.min(...same.map(({ body }) => Number(Reflect.get(Object(body), 'max_attempts') ?? 5)));
}
