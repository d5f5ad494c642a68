/** What the contract says must become of a request, and what a caller reads afterwards. */
import { type Invariant, isCalm, timeOf, underEachKey } from './invariant.ts';

/** Waiting messages of a disabled client are not handed over after this time. */
const disabledWithinMs = 62_000;
/** No answer, a disabled client and a used-up limit say nothing about the request. */
const passing: readonly number[] = [0, 403, 429];

export const ofRefusals = {
  'a request gets the response that the contract says': {
    promise: '2.1, 2.4, 2.5, 2.6, 3.2, 5.3, 5.6, 5.10, 5.11, 14.6',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ must, status = 0, answer, route, path, atMs }) =>
        must === undefined || passing.includes(status) || status >= 500 || must.be.includes(status)
          ? []
          : [
              `${route} ${path} at ${timeOf(atMs)} was answered ${status} ${answer?.error ?? ''}, and must be ${must.be.join(' or ')} (${must.promise})`,
            ],
      ),
  },
  'no rate limit asks to wait longer than its window': {
    promise: '1.1, 4.4, 5.8',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ answer, route, path, headers = {}, atMs }) => {
        const window = Number(/;w=(\d+)/.exec(headers['X-RateLimit-Policy'] ?? '')?.[1]);
        const wait = Number(headers['Retry-After']);
        return answer?.error !== 'rate_limit_exceeded' || (wait >= 1 && wait <= window)
          ? []
          : [
              `${route} ${path} at ${timeOf(atMs)} was refused with a wait of ${wait} seconds, in a window of ${window}`,
            ];
      }),
  },
  'a correct request is not refused as invalid': {
    promise: '1.2',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ route, path, status, answer, must }) =>
        status !== 400 || must?.be.includes(400)
          ? []
          : [`${route} ${path} was answered 400: ${JSON.stringify(answer)}`],
      ),
  },
  'a key is of one request': {
    promise: '5.6',
    check: ({ stage: { record } }) => {
      const accepted = record.asked.filter(({ status }) => status === 202);
      return [...underEachKey(accepted)].flatMap(([name, asked]) =>
        new Set(asked.map(({ body }) => JSON.stringify(body))).size > 1
          ? [`${name} was accepted for several requests`]
          : [],
      );
    },
  },
  'a list neither omits nor repeats': {
    promise: '5.12',
    check: ({ listed }) =>
      [...listed].flatMap(([clientId, messages]) => {
        const ids = messages.map(({ message_id }) => message_id);
        const times = messages.map(({ created_at }) => String(created_at));
        const found = new Set(ids).size < ids.length ? [`the list of ${clientId} has a message twice`] : [];
        return times.some((time, i) => time > (times[i - 1] ?? '~'))
          ? [...found, `the list of ${clientId} is not in order`]
          : found;
      }),
  },
  'what was canceled is not handed over': {
    promise: '5.3',
    check: ({ stage: { record }, accepted }) =>
      record.asked.flatMap(({ route, status, answer }) => {
        if (route !== 'cancelMessage' || status !== 200) return [];
        const id = String(answer.message_id);
        const shown = accepted.find(({ messageId }) => messageId === id)?.status;
        if (record.handOvers.some(({ messageId }) => messageId === id))
          return [`${id} was canceled, and handed over`];
        const wasQueued = shown?.history?.some((entry: { status: string }) => entry.status === 'queued');
        return shown !== undefined && (shown.status !== 'canceled' || wasQueued)
          ? [`${id} was canceled, and its history is ${JSON.stringify(shown.history)}`]
          : [];
      }),
  },
  'nothing of a disabled client is handed over': {
    promise: '3.2',
    check: ({ stage: { record }, scene, listed }) =>
      scene.clients.flatMap(({ clientId }) => {
        const own = new Set((listed.get(clientId) ?? []).map(({ message_id }) => message_id));
        const changes = record.asked.filter(
          ({ route, path, body }) =>
            route === 'adminApi' &&
            path.endsWith(`clients/${clientId}`) &&
            Reflect.has(Object(body), 'disabled'),
        );
        const isEnabling = ({ body }: (typeof changes)[number]): boolean =>
          Reflect.get(Object(body), 'disabled') === false;
        return record.handOvers.flatMap(({ messageId, atMs }) => {
          if (!own.has(messageId)) return [];
          const last = changes.findLast((one) => (one.answeredAtMs ?? Infinity) + disabledWithinMs < atMs);
          if (last === undefined || last.status !== 200 || isEnabling(last)) return [];
          const enabled = changes.some(
            (one) => isEnabling(one) && one.atMs > last.atMs - disabledWithinMs && one.atMs < atMs,
          );
          return enabled
            ? []
            : [
                `${messageId} was handed over at ${timeOf(atMs)}, its client disabled since ${timeOf(last.atMs)}`,
              ];
        });
      }),
  },
  'what administrators make is an entry of the activity log': {
    promise: '8.2',
    check: ({ plan, stage: { database } }) => {
      const textOf = (row: object, name: string) => String(Reflect.get(Object(Reflect.get(row, name)), 'S'));
      // Rows from before the run have no entry. An administrator may have corrupted the time of a row.
      const made = [
        ...database.rows('ApiKeys').map((row) => ({ row, id: textOf(row, 'key_id') })),
        ...database.rows('Clients').map((row) => ({ row, id: textOf(row, 'client_id') })),
      ].filter(({ row }) => Date.parse(textOf(row, 'created_at')) > plan.startAt.getTime());
      const entries = database
        .rows('ActivityLog')
        .filter((row) => ['api_key_created', 'client_created'].includes(textOf(row, 'kind')))
        .map((row) => JSON.stringify(row));
      return made.flatMap(({ id }) =>
        entries.some((entry) => entry.includes(id))
          ? []
          : [`${id} was made, and the activity log does not say so`],
      );
    },
  },
  'each edit by hand is an entry of the activity log': {
    promise: '10.6',
    check: (ended) => {
      const { record, database } = ended.stage;
      if (!isCalm(ended)) return [];
      const edits = record.edited.filter(
        ({ atMs, table, uncertain, row }) =>
          table === 'LimitOverrides' && uncertain === undefined && row === undefined && atMs > 0,
      );
      const removals = database
        .rows('ActivityLog')
        .filter((row) => String(Reflect.get(row.kind ?? {}, 'S')).startsWith('limits_removed'));
      return removals.length < edits.length
        ? [`${edits.length} rows were removed by hand, and the activity log has ${removals.length} removals`]
        : [];
    },
  },
} as const satisfies Record<string, Invariant>;
