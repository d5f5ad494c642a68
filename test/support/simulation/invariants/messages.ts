/** Messages, as callers see them: accepted, stored once, ended, counted. */
import { sends } from './ended.ts';
import { deadLetters, distinct, type Invariant, sumOf, underEachKey } from './invariant.ts';

const finalStates = ['delivered', 'failed', 'expired', 'canceled', 'read'];

export const ofMessages = {
  'every accepted message ends': {
    promise: '5.1, 6.4',
    check: ({ accepted }) =>
      distinct(accepted).flatMap(({ messageId, status }) => {
        if (status === undefined) return [`${messageId} was accepted, and its status is not found`];
        return finalStates.includes(status.status)
          ? []
          : [`${messageId} was accepted, and is left ${status.status}`];
      }),
  },
  'an answer matches what a later read shows': {
    promise: '5.1, 5.12',
    check: ({ accepted, listed }) =>
      distinct(accepted).flatMap(({ messageId, to, client, status }) => {
        if (status === undefined) return [];
        const found = [];
        if (status.recipient !== to)
          found.push(`${messageId} was accepted for ${to}, and is shown for ${status.recipient}`);
        if (!listed.get(client.clientId)?.some(({ message_id }) => message_id === messageId))
          found.push(`${messageId} was accepted, and is not in the list`);
        return found;
      }),
  },
  'a repeat under a key is the same operation': {
    promise: '5.6',
    check: ({ stage: { record } }) => {
      const keyed = record.asked.filter(({ route }) => sends.includes(route));
      return [...underEachKey(keyed)].flatMap(([name, asked]) => {
        const bodies = new Set(
          asked.flatMap(({ status, answer }) => (status === 202 ? [JSON.stringify(answer)] : [])),
        );
        return bodies.size > 1
          ? [`${name} got ${bodies.size} different answers: ${[...bodies].join(' and ')}`]
          : [];
      });
    },
  },
  'a request makes its messages once': {
    promise: '5.6',
    check: ({ listed, stage: { record } }) =>
      [...listed].flatMap(([clientId, messages]) =>
        [
          ...Map.groupBy(
            messages.filter(({ reference, fallback_of }) => reference && !fallback_of),
            ({ reference }) => reference,
          ),
        ].flatMap(([reference, made]) => {
          const asked = record.asked.filter(
            (one) => one.clientId === clientId && Reflect.get(Object(one.body), 'reference') === reference,
          );
          const keys = new Set(asked.map(({ key }, i) => key ?? `without a key ${i}`));
          const rows = Reflect.get(Object(asked[0]?.body), 'recipients') as unknown[] | undefined;
          const most = (rows?.length ?? 1) * keys.size;
          return made.length > most
            ? [
                `the step ${reference} of ${clientId} made ${made.length} messages, at most ${most} are allowed`,
              ]
            : [];
        }),
      ),
  },
  'what a carrier reports is shown, and never taken back': {
    promise: '6.1, 6.2',
    check: ({ accepted, settledAtMs, stage: { record, sqs } }) => {
      const waiting = deadLetters(sqs);
      const isKept = (messageId: string): boolean => waiting.some((body) => body.includes(messageId));
      const delivered = new Set(
        record.published.flatMap(({ messageId, status, atMs }) =>
          // A late report may come when the run is over.
          status === 'delivered' && atMs < settledAtMs - 60_000 && !isKept(messageId) ? [messageId] : [],
        ),
      );
      return distinct(accepted).flatMap(({ messageId, status }) =>
        status === undefined || !delivered.has(messageId) || ['delivered', 'read'].includes(status.status)
          ? []
          : [`${messageId} was reported delivered, and is shown as ${status.status}`],
      );
    },
  },
  'usage equals the messages': {
    promise: '11.1, 11.2, 16.3',
    check: ({ usage, listed }) =>
      [...usage].flatMap(([clientId, answer]) => {
        if (answer === undefined) return [`the usage of ${clientId} cannot be read`];
        const counted = sumOf(answer.usage, 'messages');
        const messages = listed.get(clientId) ?? [];
        const delivered = messages.filter(({ status }) => status === 'delivered' || status === 'read').length;
        const found =
          counted === messages.length
            ? []
            : [`${clientId} has ${messages.length} messages, and its usage ${counted}`];
        const doubled = messages.filter(({ possible_duplicate }) => possible_duplicate === true).length;
        if (sumOf(answer.usage, 'possible_duplicates') !== doubled)
          found.push(
            `${clientId} has ${doubled} possible duplicates, and its usage ${sumOf(answer.usage, 'possible_duplicates')}`,
          );
        const ofCurrency = messages.filter(({ currency }) => currency === answer.currency);
        const cost = sumOf(ofCurrency, 'cost');
        // Usage has the costs in millionths.
        if (Math.abs(sumOf(answer.usage, 'cost') - cost) > 1e-6 * (messages.length + 1))
          found.push(
            `${clientId} has messages that cost ${cost}, and its usage ${sumOf(answer.usage, 'cost')}`,
          );
        if (sumOf(answer.usage, 'delivered') !== delivered)
          found.push(
            `${clientId} has ${delivered} delivered messages, and its usage ${sumOf(answer.usage, 'delivered')}`,
          );
        return found;
      }),
  },
} as const satisfies Record<string, Invariant>;
