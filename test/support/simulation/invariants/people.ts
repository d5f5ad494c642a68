/** One-time passwords, and consent. */

import type { Asked, OutsideRecord } from '../outside/record.ts';
import { clockOffMs, whatsAppNumberId } from '../outside/whatsapp-events.ts';
import type { Ended } from './ended.ts';
import { distinct, type Invariant, isSetAside, timeOf } from './invariant.ts';

/** A keyword or a change is in force after this time, also if calls fail and are repeated. */
const inForceMs = 1_800_000;
/** Keywords less apart than this may count in either order. */
const apartMs = 3000;
/** The id of AWS of the number from which the stage sends by WhatsApp. */
export const whatsAppSender = 'phone-number-id-0123456789abcdef0123456789abcdef';

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

  'nothing is handed over after a STOP, by its sender or of the client that wrote last': {
    promise: '13.2, 13.3',
    check: ({ plan, stage: { record, sqs }, listed, inbound }) => {
      const owner = ownersOf(listed);
      const stopInForceMs = plan.severity > 0 ? inForceMs : 150_000;
      return record.handOvers.flatMap(({ messageId, to, from, atMs, text }) => {
        if (/\d{6}/.test(text) || isSetAside(sqs, to)) return [];
        const clientId = owner.get(messageId);
        const words = wordsOf(record, to).filter((word) => word.atMs < atMs);
        const changes = record.asked.filter(
          (one) => one.path.includes('/suppressions/') && decodeURIComponent(one.path).endsWith(to),
        );
        const stop = words.findLast((word) => {
          if (!word.isStop || word.knownAtMs > atMs - stopInForceMs) return false;
          const mayBeEnded =
            words.some(({ isStop, toldAtMs }) => !isStop && toldAtMs > word.toldAtMs - apartMs) ||
            changes.some(
              ({ route, body, atMs: askedMs }) =>
                route === 'adminApi' && body === undefined && askedMs < atMs,
            );
          if (mayBeEnded) return false;
          const endedByClient = changes.some(
            (one) =>
              one.route === 'deleteSuppression' &&
              one.clientId === clientId &&
              (one.answeredAtMs ?? Infinity) > word.atMs,
          );
          const isOfLast = clientId !== undefined && receiverOf(inbound, word) === clientId;
          return senderOf(word.to) === from || (isOfLast && !endedByClient);
        });
        return stop === undefined
          ? []
          : [
              `${messageId} of ${clientId} went to ${to} from ${from} at ${timeOf(atMs)}, who wrote STOP to ${stop.to} at ${timeOf(stop.atMs)}`,
            ];
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

interface Word {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly isStop: boolean;
  /** The time that the carrier tells, or of the receipt, if its clock is ahead. */
  readonly toldAtMs: number;
  /** When the gateway gets the text. */
  readonly knownAtMs: number;
}

/** The keywords of a person. */
function wordsOf({ wrote }: OutsideRecord, person: string): Word[] {
  return wrote
    .filter(({ from, text }) => from === person && /^\s*(stop|start)\W*$/i.test(text))
    .map(({ learnedAtMs, ...word }) => {
      const offMs = word.to === whatsAppNumberId ? clockOffMs(person, word.text) : 0;
      return {
        ...word,
        isStop: /stop/i.test(word.text),
        toldAtMs: word.atMs + Math.min(0, offMs),
        knownAtMs: learnedAtMs ?? word.atMs,
      };
    });
}

/** The client whose list has the text: the one that wrote last, as the gateway saw it. */
export function receiverOf(
  inbound: Ended['inbound'],
  { from, text, toldAtMs }: Pick<Word, 'from' | 'text' | 'toldAtMs'>,
) {
  for (const [clientId, messages] of inbound)
    for (const message of messages) {
      const isIt = message.from === from && message.text === text;
      if (isIt && Math.abs(Date.parse(message.created_at) - toldAtMs) < 1100) return clientId;
    }
  return undefined;
}

/** Returns the sender in the hand-overs from one of our numbers. */
function senderOf(number: string): string {
  return number === whatsAppNumberId ? whatsAppSender : number;
}

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
