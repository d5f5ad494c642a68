/** One-time passwords, and consent. */

import type { Asked } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { distinct, type Invariant, isSetAside, timeOf } from './invariant.ts';

/** A keyword or a change is in force after this time, also if calls fail and are repeated. */
const inForceMs = 1_800_000;

export const ofPeople = {
  'a password is verified once, after so many attempts': {
    promise: '5.10',
    check: ({ stage: { record } }) => {
      const verified = record.asked.filter(({ route, status }) => route === 'verifyOtp' && status === 200);
      return [...Map.groupBy(verified, ({ answer }) => String(answer.otp_id))].flatMap(([otpId, answers]) => {
        const right = answers.filter(({ answer }) => answer.verified === true).length;
        const wrong = answers.filter(({ answer }) => answer.verified === false).length;
        const sent = record.asked.find(
          ({ route, answer }) => route === 'sendOtp' && answer?.otp_id === otpId,
        );
        const most = Number(Reflect.get(Object(sent?.body), 'max_attempts') ?? 5);
        const found = right > 1 ? [`${otpId} was verified ${right} times`] : [];
        return wrong + right > most
          ? [...found, `${otpId} took ${wrong + right} codes, at most ${most} are allowed`]
          : found;
      });
    },
  },
  'the suppressed get nothing': {
    promise: '13.3',
    check: ({ stage: { record }, listed, plan }) => {
      const owner = ownersOf(listed);
      const changes = record.asked.filter(
        ({ route, status }) =>
          (route === 'putSuppression' || route === 'deleteSuppression') && status !== 429,
      );
      return record.handOvers.flatMap(({ messageId, to, atMs, text }) => {
        if (/\d{6}/.test(text)) return [];
        const own = changes.filter(
          ({ clientId, path }) => clientId === owner.get(messageId) && decodeURIComponent(path).endsWith(to),
        );
        const put = own.findLast(
          ({ route, status, answeredAtMs = Infinity }) =>
            route === 'putSuppression' && status === 200 && answeredAtMs < atMs - 16_000 - plan.skewMaxMs,
        );
        if (put === undefined) return [];
        const ended = own.some(
          ({ route, atMs: askedMs }) =>
            route === 'deleteSuppression' && askedMs > put.atMs - 1000 && askedMs < atMs,
        );
        const wroteStart = record.wrote.some(
          ({ from, text: word, atMs: wroteMs }) => from === to && word === 'START' && wroteMs < atMs,
        );
        return ended || wroteStart
          ? []
          : [
              `${messageId} was handed over to ${to} at ${timeOf(atMs)}, suppressed since ${timeOf(put.answeredAtMs ?? 0)}`,
            ];
      });
    },
  },

  'START ends an opt-out': {
    promise: '13.2',
    check: ({ stage: { record, sqs }, accepted, listed }) => {
      const owner = ownersOf(listed);
      return distinct(accepted).flatMap(({ messageId, to, client, asked, status }) => {
        if (status?.error?.code !== 'recipient_opted_out' || isSetAside(sqs, to)) return [];
        const own = record.asked.some(
          ({ clientId, route, path }) =>
            clientId === client.clientId &&
            route === 'putSuppression' &&
            decodeURIComponent(path).endsWith(to),
        );
        const words = record.wrote.filter(({ from }) => from === to);
        const last = words.findLast(({ atMs }) => atMs < asked.atMs);
        if (words.some((one) => one.to !== last?.to)) return [];
        const isLater = words.some(({ atMs }) => atMs >= asked.atMs);
        const knownMs = last?.learnedAtMs ?? last?.atMs ?? 0;
        if (last?.text !== 'START' || knownMs >= asked.atMs - inForceMs || own || isLater) return [];
        // A word to one number concerns the clients that wrote from it, and not those that wrote from a name.
        const hasWrittenFromIt = record.handOvers.some(
          (one) =>
            one.to === to &&
            one.from === last.to &&
            one.atMs < last.atMs &&
            (one.carrierMessageId !== undefined || one.refusedWith === 'ConflictException') &&
            owner.get(one.messageId) === client.clientId,
        );
        return hasWrittenFromIt
          ? [
              `${messageId} to ${to}, sent at ${timeOf(asked.atMs)}, failed as opted out, although they wrote START at ${timeOf(last.atMs)}`,
            ]
          : [];
      });
    },
  },

  'STOP stops what a client sends': {
    promise: '13.2, 13.3',
    check: ({ plan, stage: { record }, listed }) => {
      const owner = ownersOf(listed);
      const stopInForceMs = plan.severity > 0 ? 1_800_000 : 60_000;
      return record.handOvers.flatMap(({ messageId, to, from, atMs, text }) => {
        const clientId = owner.get(messageId);
        if (/\d{6}/.test(text)) return [];
        const stop = record.wrote.findLast(
          (one) => one.from === to && one.to === from && one.atMs < atMs && /^\s*stop\W*$/i.test(one.text),
        );
        if (stop === undefined || atMs - stop.atMs < stopInForceMs) return [];
        const hadGot = record.handOvers.some(
          (one) =>
            one.to === to &&
            one.from === from &&
            one.carrierMessageId !== undefined &&
            one.atMs < stop.atMs - stopInForceMs &&
            owner.get(one.messageId) === clientId,
        );
        const ended =
          record.wrote.some((one) => one.from === to && one.atMs > stop.atMs && one.text === 'START') ||
          record.asked.some(
            (one) =>
              one.route === 'deleteSuppression' &&
              one.clientId === clientId &&
              decodeURIComponent(one.path).endsWith(to) &&
              (one.answeredAtMs ?? Infinity) > stop.atMs,
          );
        return hadGot && !ended
          ? [`${messageId} went to ${to} at ${timeOf(atMs)}, who wrote STOP at ${timeOf(stop.atMs)}`]
          : [];
      });
    },
  },

  'nobody is refused as opted out who is not': {
    promise: '13.2, 13.4',
    check: ({ plan, stage: { record }, accepted }) => {
      if (plan.skewMaxMs > 100) return [];
      const changes = Map.groupBy(
        record.asked.filter(({ path }) => path.includes('/suppressions/')),
        ({ path }) => decodeURIComponent(path).split('/').at(-1),
      );
      return distinct(accepted).flatMap(({ messageId, to, asked, status }) => {
        if (status?.error?.code !== 'recipient_opted_out') return [];
        if (record.wrote.some(({ from }) => from === to)) return [];
        const ofClients = [...Map.groupBy(changes.get(to) ?? [], clientOf).values()].map((some) =>
          some.at(-1),
        );
        const hasEnded = ofClients.every(
          (last) =>
            last?.body === undefined &&
            last?.status === 200 &&
            (last.answeredAtMs ?? Infinity) < asked.atMs - inForceMs,
        );
        return hasEnded
          ? [
              `${messageId} to ${to}, sent at ${timeOf(asked.atMs)}, failed as opted out, and nobody suppresses them`,
            ]
          : [];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/** The client that a suppression is of; the admin API names it in its path. */
export function clientOf({ path, clientId }: Asked): string {
  return /clients\/([^/]+)\//.exec(path)?.[1] ?? clientId;
}

/** The client of each message. */
function ownersOf(listed: Ended['listed']): ReadonlyMap<string, string> {
  return new Map(
    [...listed].flatMap(([clientId, messages]) =>
      messages.map(({ message_id }) => [String(message_id), clientId] as const),
    ),
  );
}
