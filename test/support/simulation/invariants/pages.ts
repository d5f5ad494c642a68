/** The pages of lists: each entry once, and none left out that was there before the first page. */
import type { ListRead } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { type Invariant, timeOf } from './invariant.ts';

/** The maximum age of the rows that a list reads, in addition to the delay of an index. */
const staleMaxMs = 5000;

export const ofPages = {
  'the pages of a list have no entry twice': {
    promise: '5.12, 12.3',
    check: ({ stage: { record } }) =>
      record.listsRead.flatMap((read) => {
        const twice = read.ids.find((id, i) => read.ids.indexOf(id) !== i);
        return twice === undefined ? [] : [`${twice} is twice in ${nameOf(read)}`];
      }),
  },
  'the pages of a list leave nothing out': {
    promise: '5.12, 12.3',
    check: (ended) => {
      const { plan, stage } = ended;
      return stage.record.listsRead.flatMap((read) => {
        if (!read.isWhole) return [];
        const beforeMs = read.atMs - staleMaxMs - plan.indexLagMaxMs - 2 * plan.skewMaxMs;
        const missing = there[read.route](ended, read, beforeMs).find((id) => !read.ids.includes(id));
        return missing === undefined ? [] : [`${missing} is not in ${nameOf(read)}`];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/** The rows that each list must contain, because they existed by that time and nothing has removed them. */
const there: Readonly<
  Record<ListRead['route'], (ended: Ended, read: ListRead, beforeMs: number) => readonly string[]>
> = {
  listWebhookDeliveries({ stage: { record } }, { clientId }, beforeMs) {
    return record.posted.flatMap(({ webhookId, endedAtMs: answeredMs, event }) =>
      event.data.client_id === clientId && answeredMs < beforeMs ? [webhookId] : [],
    );
  },
  listMessages: ({ stage: { record } }, { clientId }, beforeMs) =>
    record.asked.flatMap((one) => {
      const { status, answer, answeredAtMs = Infinity } = one;
      if (one.clientId !== clientId || status !== 202 || answeredAtMs > beforeMs) return [];
      const messages: readonly { readonly message_id?: string }[] = answer.messages ?? [answer];
      return messages.flatMap(({ message_id }) => message_id ?? []);
    }),
  listSuppressions({ stage: { record } }, { clientId }, beforeMs) {
    const about = record.asked.filter(
      ({ route, clientId: by }) => by === clientId && /Suppression$/.test(route),
    );
    return [...Map.groupBy(about, ({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''))].flatMap(
      ([recipient, requests]) =>
        requests.every(({ route }) => route === 'putSuppression') &&
        requests.some(({ status = 0, answeredAtMs = Infinity }) => status < 300 && answeredAtMs < beforeMs) &&
        !record.wrote.some(({ from }) => from === recipient) &&
        !record.asked.some(
          ({ route, path }) => route === 'adminApi' && decodeURIComponent(path).endsWith(`/${recipient}`),
        )
          ? [recipient]
          : [],
    );
  },
};

function nameOf({ route, clientId, query, atMs }: ListRead): string {
  return `${route} of ${clientId} with ${JSON.stringify(query)}, read from ${timeOf(atMs)} on`;
}
