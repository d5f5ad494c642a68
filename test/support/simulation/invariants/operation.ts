/** Limits, edits by hand, errors, and the load on the tables. */
import { accessDenied } from '../aws/requests.ts';
import { type Invariant, timeOf } from './invariant.ts';
import { limitViolations } from './limits.ts';

/** Every request writes to these rows, so their size would multiply with the rate. */
const rowBytesMax: Readonly<Record<string, number>> = { RateCounters: 2048 };
/** Half of what a partition takes; but a thousand messages may be stored at once with one reference. */
const writeUnitsMax: Readonly<Record<string, number>> = { 'Messages/by-reference': 1000 };

/** So many are in one partition by chance in one run of millions. */
const manyEntries = 8;

export const ofOperation = {
  'no limit is passed, and none refuses while there is room': {
    promise: '4.2, 10.2',
    check: limitViolations,
  },
  'what AWS refuses is answered 503': {
    promise: '1.2',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ route, clientId, path, status, body }) =>
        status === 500 ? [`${route} ${path} of ${clientId} was answered 500: ${JSON.stringify(body)}`] : [],
      ),
  },
  'nothing fails in a world without faults': {
    promise: '1.7',
    check: ({ plan, stage: { record, faults } }) =>
      plan.severity > 0 || faults.happened.length > 0
        ? []
        : record.asked.flatMap(({ route, clientId, status = 0, path, body }) =>
            status >= 500
              ? [`${route} ${path} of ${clientId} was answered ${status}: ${JSON.stringify(body)}`]
              : [],
          ),
  },
  'each function makes only calls that its role permits': {
    promise: '1.7',
    check: ({ stage: { calls } }) => {
      const denied = calls.filter(({ code }) => code === accessDenied);
      return [...new Set(denied.map(({ point }) => point.replace(/ \d+$/, '')))].map(
        (point) => `the role does not permit ${point}`,
      );
    },
  },
  'an edit is never undone': {
    promise: '10.6',
    check: ({ stage: { record, database } }) => {
      const byKey = Map.groupBy(record.edited, ({ table, key }) => `${table} ${JSON.stringify(key)}`);
      return [...byKey].flatMap(([name, edits]) => {
        const last = edits.at(-1);
        const note = last?.row?.note;
        if (last === undefined || typeof note !== 'string') return [];
        const row = database
          .rows(last.table)
          .find((item) =>
            Object.entries(last.key).every(([key, value]) => Reflect.get(item[key] ?? {}, 'S') === value),
          );
        const found = row === undefined ? undefined : Reflect.get(row.note ?? {}, 'S');
        return found === note
          ? []
          : [`${name} was edited (${note}) at ${timeOf(last.atMs)}, and now has the note ${String(found)}`];
      });
    },
  },
  'no row and no partition grows beyond what it bears': {
    promise: 'cost-and-scale',
    check: ({ stage: { database } }) => [
      ...[...database.largestRow].flatMap(([table, bytes]) =>
        bytes > (rowBytesMax[table] ?? 65_536) ? [`a row of ${table} has ${bytes} bytes`] : [],
      ),
      ...[...database.peakWriteUnits].flatMap(([name, units]) =>
        units > (writeUnitsMax[name] ?? 500)
          ? [`a partition of ${name} took ${units} write units in a second`]
          : [],
      ),
    ],
  },

  'the entries of failed webhooks are spread over partitions': {
    promise: 'cost-and-scale',
    check: ({ stage: { database } }) =>
      (['day', 'kind'] as const).flatMap((key) => {
        const text = (row: object, name: string): string =>
          String(Reflect.get(Object(Reflect.get(row, name)), 'S'));
        const entries = database
          .rows('ActivityLog')
          .filter((row) => text(row, 'kind').startsWith('webhook_failed'));
        const partitions = new Set(entries.map((row) => text(row, key)));
        return entries.length >= manyEntries && partitions.size < 2
          ? [`${entries.length} entries of failed webhooks are in the partition ${[...partitions]}`]
          : [];
      }),
  },

  'a credential is valid from the answer that gave it out': {
    promise: '2.5, 2.6, 3.1',
    check: ({ stage: { record } }) => {
      const disabled = new Set(
        record.asked.flatMap(({ route, path, body }) =>
          route === 'adminApi' && Reflect.get(Object(body), 'disabled') === true
            ? [path.split('/').at(-1)]
            : [],
        ),
      );
      const secretsEnded = record.asked.filter(({ path }) => path.endsWith('/previous-secret'));
      return record.asked.flatMap(
        ({ hasValidCredential, status, clientId, route, atMs, answeredAtMs = atMs }) =>
          hasValidCredential &&
          status === 401 &&
          !disabled.has(clientId) &&
          // By another administrator, while this one had it still.
          !(
            route === 'issueToken' &&
            secretsEnded.some((ended) => ended.path.includes(`/${clientId}/`) && ended.atMs < answeredAtMs)
          )
            ? [`${clientId} was refused ${route} at ${timeOf(atMs)} with a credential that it was given`]
            : [],
      );
    },
  },
} as const satisfies Record<string, Invariant>;
