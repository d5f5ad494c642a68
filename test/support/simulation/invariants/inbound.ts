/** Texts of people: whose they are, and what STOP and START mean in the end. */

import { whatsAppNumberId } from '../outside/whatsapp-events.ts';
import { unreadableId } from '../scene.ts';
import type { Ended } from './ended.ts';
import { deadLetters, distinct, type Invariant, isCalm, isSetAside, timeOf } from './invariant.ts';
import { clientOf, receiverOf, whatsAppSender } from './people.ts';

/** Two events with a smaller distance may have happened in either order. */
const apartMs = 1500;
/** A text can be read after a hand-over before it is noted. */
const handOverMs = 40_000;
/** Longer than an index is stale. */
const indexMs = 25_000;
const windowMs = 86_400_000;
const ourNumber = '+447418367358';

export const ofInbound = {
  'a text is one message, of the client that wrote last': {
    promise: '13.1',
    check: (ended) => {
      const { scene, inbound, stage } = ended;
      const { wrote } = stage.record;
      const shown = scene.clients.flatMap(({ clientId }) =>
        (inbound.get(clientId) ?? []).map((message) => ({ ...message, clientId })),
      );
      const found = [];
      for (const [person, messages] of Map.groupBy(shown, ({ from }) => String(from))) {
        const texts = wrote.filter(({ from }) => from === person).length;
        if (messages.length > texts)
          found.push(`${person} wrote ${texts} texts, and clients have ${messages.length} messages of them`);
      }
      for (const { clientId, from, created_at, message_id, channel } of shown) {
        if (channel !== 'sms' || !isCalm(ended)) continue;
        const atMs = Date.parse(created_at);
        const taken = takenFrom(ended, String(from)).filter((one) => one.atMs < atMs + handOverMs);
        const last = taken.at(-1);
        const isClear =
          last !== undefined &&
          last.atMs < atMs - handOverMs &&
          taken.every((one) => one.clientId === last.clientId || one.atMs < last.atMs - apartMs - 1000);
        if (isClear && last.clientId !== clientId)
          found.push(
            `${message_id} of ${from} at ${timeOf(atMs)} is of ${clientId}, and the last message to them was of ${last.clientId}`,
          );
      }
      return found;
    },
  },
  'a text to a number that wrote before is a message of a client': {
    promise: '1.8, 13.1',
    check: (ended) => {
      const { scene, inbound, stage } = ended;
      const waiting = deadLetters(stage.sqs);
      const shown = scene.clients.flatMap(({ clientId }) => inbound.get(clientId) ?? []);
      const own = stage.record.wrote.filter(({ to }) => to === whatsAppNumberId);
      return [...Map.groupBy(own, ({ from }) => from)].flatMap(([person, texts]) => {
        const isKnown = takenFrom(ended, person, whatsAppSender).some((one) =>
          isKnownBy(ended, one, texts[0]?.atMs ?? 0),
        );
        const received = shown.filter(
          ({ from, channel }) => from === person && channel === 'whatsapp',
        ).length;
        const isWaiting = waiting.some(
          (body) => body.includes(`"${person.slice(1)}`) && !body.includes(unreadableId),
        );
        return isKnown && received < texts.length && !isWaiting
          ? [
              `${person} wrote ${texts.length} times by WhatsApp, and ${received} messages of them were received`,
            ]
          : [];
      });
    },
  },
  'the last word of a person is in force in the end': {
    promise: '13.2',
    check: (ended) => {
      const { scene, suppressed, stage, plan } = ended;
      const { wrote, asked } = stage.record;
      const words = wrote.filter(({ text }) => /^\s*(stop|start)\W*$/i.test(text));
      return [...Map.groupBy(words, ({ from }) => from)].flatMap(([person, own]) => {
        if (own.some(({ to }) => to !== ourNumber)) return [];
        const last = own.at(-1);
        const before = own.at(-2);
        if (
          last === undefined ||
          (before !== undefined && last.atMs - before.atMs < apartMs + 2 * plan.skewMaxMs)
        )
          return [];
        const receiver = receiverOf(ended.inbound, { ...last, toldAtMs: last.atMs });
        const isStop = /stop/i.test(last.text);
        return scene.clients.flatMap(({ clientId }) => {
          // STOP stops the client that wrote last, and START ends what stops any.
          if (isStop ? clientId !== receiver : receiver === undefined) return [];
          const changed = asked.some(
            (one) =>
              one.path.includes('/suppressions/') &&
              clientOf(one) === clientId &&
              decodeURIComponent(one.path).endsWith(person),
          );
          if (changed || suppressed.get(clientId) === undefined) return [];
          if (own.some(({ text }) => isSetAside(ended.stage.sqs, person, text))) return [];
          const is = suppressed.get(clientId)?.has(person) === true;
          return is === isStop
            ? []
            : [
                `${person} wrote ${last.text} at ${timeOf(last.atMs)}, and is ${is ? '' : 'not '}suppressed for ${clientId}`,
              ];
        });
      });
    },
  },
  'the client that wrote last is told of a word': {
    promise: '6.5, 13.2',
    check: (ended) => {
      const { scene, stage } = ended;
      const { wrote, asked, posted } = stage.record;
      const words = wrote.filter(({ text, to }) => /^\s*(stop|start)\W*$/i.test(text) && to === ourNumber);
      return words.flatMap((word) => {
        const { from: person, text, atMs } = word;
        const clientId = receiverOf(ended.inbound, { ...word, toldAtMs: atMs });
        const client = scene.clients.find((one) => one.clientId === clientId);
        const changed = asked.some((one) => one.route === 'updateAccount' && one.clientId === clientId);
        const isTold = posted.some(
          ({ url, event }) =>
            url === client?.webhookUrl &&
            event.event === (/stop/i.test(text) ? 'recipient.opted_out' : 'recipient.opted_in') &&
            event.data.recipient === person &&
            event.data.client_id === clientId &&
            Date.parse(event.timestamp) === atMs,
        );
        return client !== undefined && !changed && !isTold && !isSetAside(stage.sqs, person, text)
          ? [
              `${person} wrote ${text} at ${timeOf(atMs)}, and ${client.webhookUrl} of ${clientId} was not told`,
            ]
          : [];
      });
    },
  },
  'the window of WhatsApp ends a day after the latest text': {
    promise: '13.5',
    check: ({ accepted, inbound, stage: { time, sqs } }) =>
      distinct(accepted).flatMap(({ messageId, client, to, status }) => {
        if (status?.channel !== 'whatsapp' || isSetAside(sqs, to)) return [];
        const texts = (inbound.get(client.clientId) ?? []).filter(
          ({ channel, from }) => channel === 'whatsapp' && from === to,
        );
        const latest = Math.max(...texts.map(({ created_at }) => Date.parse(created_at)));
        if (texts.length === 0 || time.now() > latest + windowMs) return [];
        const must = new Date(latest + windowMs).toISOString();
        return status.window_expires_at === must
          ? []
          : [`the window of ${messageId} to ${to} ends ${status.window_expires_at}, and must end ${must}`];
      }),
  },
} as const satisfies Record<string, Invariant>;

/** Returns the times at which carriers accepted messages from one of our numbers to the recipient, with their clients. */
function takenFrom({ scene, listed, stage }: Ended, person: string, number = ourNumber) {
  const owner = new Map(
    scene.clients.flatMap(({ clientId }) =>
      (listed.get(clientId) ?? []).map(({ message_id }) => [String(message_id), clientId] as const),
    ),
  );
  return stage.record.handOvers.flatMap(({ messageId, to, from, atMs, carrierMessageId }) => {
    const clientId = owner.get(messageId);
    return to === person && from === number && carrierMessageId !== undefined && clientId !== undefined
      ? [{ messageId, clientId, atMs }]
      : [];
  });
}

/** Returns true if the gateway certainly knew of the hand-over by then. If calls fail, a posted event proves it. */
function isKnownBy(
  ended: Ended,
  { messageId, atMs }: { readonly messageId: string; readonly atMs: number },
  byMs: number,
): boolean {
  if (isCalm(ended)) return atMs < byMs - handOverMs;
  return ended.stage.record.posted.some(
    ({ event, atMs: postedMs }) =>
      event.data?.message_id === messageId && event.data.sent_at !== undefined && postedMs < byMs - indexMs,
  );
}
