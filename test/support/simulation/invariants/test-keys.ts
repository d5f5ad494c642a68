/** Test keys: what they send ends as with live keys, calls no carrier, and changes nothing of the live data. */
import { modeOf } from '../../../../shared/contract/mode.ts';
import { distinct, type Invariant, isCalm, timeOf } from './invariant.ts';

const finalStates = ['delivered', 'failed', 'expired', 'read'];
/** The final states of messages to the simulator's recipients. */
const endOf: Readonly<Record<string, readonly string[]>> = {
  '+15005550001': ['failed'],
  '+15005550002': ['failed'],
  '+15005550003': ['expired', 'failed'],
  '+15005550004': ['expired', 'failed'],
};
const outboxMs = 86_400_000;
/** The validity of a message that was sent last is past, but for hours at most. */
const keptMs = 30.25 * 86_400_000;
/** Tables whose rows are a client's settings, and rows that its own requests for them change. */
const settings: readonly string[] = ['Clients', 'ClientSecrets', 'ApiKeys', 'LimitOverrides', 'Senders'];

export const ofTestKeys = {
  'a test message ends as its recipient says': {
    promise: '17.1',
    check: (ended) => {
      // At such a pace, or where clocks are minutes apart, a test message may expire before its turn.
      const { plan, stage } = ended;
      const isSlow = stage.record.edited.some(({ row }) => Number(row?.messages_per_second) < 1);
      const isInTime = isCalm(ended) && plan.skewMaxMs <= 2000 && !isSlow;
      return distinct(ended.tested.accepted).flatMap(({ messageId, to, status }) => {
        if (status === undefined) return [`${messageId} is a test message, and its status is not found`];
        if (status.mode !== 'test' || modeOf(status.client_id) !== 'test')
          return [`${messageId} is a test message, and is not shown as one`];
        const isOut = status.error?.code === 'recipient_opted_out' || to === '+15005550008';
        const must = isOut ? finalStates : (endOf[to] ?? ['delivered', 'read']);
        const expected = isInTime ? must : finalStates;
        return expected.includes(status.status)
          ? []
          : [`${messageId} is a test message to ${to}, and is left ${status.status}`];
      });
    },
  },
  'no carrier gets a test message': {
    promise: '17.1',
    check: ({ tested, stage: { record } }) => {
      const ids = new Set([...tested.listed.values()].flat().map(({ message_id }) => message_id));
      return record.handOvers.flatMap(({ messageId, atMs }) =>
        ids.has(messageId)
          ? [`${messageId} is a test message, and was given to a carrier at ${timeOf(atMs)}`]
          : [],
      );
    },
  },
  'the outbox has what the simulated carrier took of the client’s tests': {
    promise: '17.5',
    check: (ended) => {
      const { tested, stage } = ended;
      return [...tested.outboxes].flatMap(([clientId, entries]) => {
        const listed = tested.listed.get(clientId) ?? [];
        const own = new Set(listed.map(({ message_id }) => message_id));
        const foreign = entries.filter(({ message_id }) => !own.has(message_id));
        const missing = listed.filter(
          ({ message_id, direction, status, created_at }) =>
            direction !== 'inbound' &&
            ['delivered', 'read'].includes(status) &&
            Date.parse(created_at) > stage.time.now() - outboxMs &&
            !entries.some((entry) => entry.message_id === message_id),
        );
        const ids = entries.map(({ message_id }) => message_id);
        const twice = isCalm(ended) ? ids.filter((id, i) => ids.indexOf(id) !== i) : [];
        return [
          ...foreign.map(({ message_id }) => `the test outbox of ${clientId} has ${message_id} of another`),
          ...missing.map(({ message_id }) => `${message_id} was delivered, and is not in the test outbox`),
          ...twice.map((id) => `the test outbox has ${id} twice`),
        ];
      });
    },
  },
  'test and live data never meet': {
    promise: '17.3',
    check: ({ tested, listed, suppressed, scene, stage: { record } }) => {
      const testIds = new Set([...tested.listed.values()].flat().map(({ message_id }) => message_id));
      const met = [...listed].flatMap(([clientId, messages]) =>
        messages.flatMap(({ message_id, mode }) =>
          testIds.has(message_id) || mode !== undefined
            ? [`${clientId} has the test message ${message_id} among its live ones`]
            : [],
        ),
      );
      // Finds recipients whose suppression only a test key has requested.
      const people = scene.clients.flatMap(({ clientId }) =>
        [...(suppressed.get(clientId)?.keys() ?? [])].flatMap((person) => {
          const isLive =
            record.wrote.some(({ from }) => from === person) ||
            record.asked.some(
              (one) =>
                (one.route === 'putSuppression' ? one.clientId === clientId : one.path.includes(clientId)) &&
                decodeURIComponent(one.path).endsWith(person),
            );
          return isLive ? [] : [`${person} is suppressed for ${clientId}, for which nobody asked`];
        }),
      );
      return [...met, ...people];
    },
  },
  'a client that uses only test keys has no live row': {
    promise: '17.3',
    check: ({ scene, stage: { database, tables } }) => {
      const id = scene.onlyTester.clientId.replace(/-test$/, '');
      const isLive = new RegExp(`${id}(?!-test)`);
      return tables.flatMap((table) =>
        settings.includes(table)
          ? []
          : database.rows(table).flatMap((row) => {
              const text = JSON.stringify(row);
              return isLive.test(text) && !text.includes(`${id}-test`)
                ? [`${table} has a row of ${id}, which used only test keys: ${text.slice(0, 200)}`]
                : [];
            }),
      );
    },
  },
  'test data is kept for 30 days at most': {
    promise: '17.6',
    check: ({ scene, stage: { database, tables, time } }) => {
      const testers = [...scene.testers, scene.onlyTester].map(({ clientId }) => clientId);
      const untilMs = time.now() + keptMs;
      // Counts of a month are kept from its end on.
      const judged = tables.filter((table) => table !== 'MessageUsage' && table !== 'RateCounters');
      return judged.flatMap((table) =>
        database.rows(table).flatMap((row) => {
          const purgeAt = row.purge_at;
          const text = JSON.stringify(row);
          return purgeAt !== undefined &&
            'N' in purgeAt &&
            Number(purgeAt.N) * 1000 > untilMs &&
            testers.some((id) => text.includes(id))
            ? [
                `a row of ${table} is kept until ${new Date(Number(purgeAt.N) * 1000).toISOString()}: ${text.slice(0, 200)}`,
              ]
            : [];
        }),
      );
    },
  },
  'a webhook tells whether it is of a test': {
    promise: '17.4',
    check: ({ stage: { record } }) =>
      record.posted.flatMap(({ webhookId, event: { data } }) => {
        const mode = modeOf(String(data.client_id)) === 'test' ? 'test' : undefined;
        return data.mode === mode
          ? []
          : [`${webhookId} is of ${data.client_id}, and says the mode ${data.mode}`];
      }),
  },
} as const satisfies Record<string, Invariant>;
