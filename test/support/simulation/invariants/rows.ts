/** What rows say that people read: feedback on what they edited, and numbers of refusals. */
import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../aws/attribute-values.ts';
import type { NotedCall } from '../aws/requests.ts';
import { type Invariant, timeOf } from './invariant.ts';

/** Feedback is there within seconds. */
const feedbackMs = 20_000;
/** As `shared/platform/aws/clients.ts` sets it. */
const sdkTries = 3;
/** Within this time the SDK makes a call again. */
const triedAgainMs = 4000;
const kept: readonly (number | undefined)[] = [400, 403, 429];
const notCounted: readonly string[] = ['counter', 'purge_at'];

export const ofRows = {
  'the feedback in a row is about its values': {
    promise: '10.5',
    check: ({ plan, stage: { record, faults } }) =>
      record.feedback.flatMap(({ atMs, table, key, status }) => {
        const last = record.edited.findLast(
          (one) => one.table === table && isDeepStrictEqual(one.key, key) && one.atMs <= atMs,
        );
        if (last === undefined || last.atMs > atMs - feedbackMs) return [];
        const hasFailed = faults.happened.some(
          (one) =>
            (one.point.startsWith('review-edited-rows ') || one.point.startsWith('Senders stream ')) &&
            one.atMs > last.atMs - 60_000 &&
            one.atMs < atMs,
        );
        const due = typeof last.row?.messages_per_second === 'number' ? 'active' : 'invalid';
        return status === due || hasFailed || plan.outages.length > 0
          ? []
          : [
              `${JSON.stringify(key)} was edited at ${timeOf(last.atMs)}, and is shown as ${status} at ${timeOf(atMs)}`,
            ];
      }),
  },
  'no refusal is counted twice': {
    promise: '8.5',
    check: ({ scene, stage: { record, calls, database } }) => {
      const uncertain = uncertainCounts(calls);
      return scene.clients.flatMap(({ clientId }) => {
        const rows = database
          .rows('RateCounters')
          .filter((row) => textOf(row, 'counter').startsWith(`refusals|${clientId}|`));
        const counted = rows
          .flatMap((row) =>
            Object.keys(row)
              .filter((name) => !notCounted.includes(name))
              .map((name) => Number(textOf(row, name))),
          )
          .reduce((sum, count) => (Number.isNaN(count) ? sum : sum + count), 0);
        const refused = record.asked.filter(
          (one) =>
            one.clientId === clientId &&
            (kept.includes(one.status) || [undefined, 502, 504].includes(one.status)),
        );
        const most = refused.length + uncertain;
        return counted > most
          ? [`${clientId} was refused ${refused.length} times at most, and ${counted} refusals are counted`]
          : [];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/**
 * How many refusals may have been counted twice: each try of their write failed, one of them arrived late, or another process
 * wrote to the same row between two of them.
 */
function uncertainCounts(calls: readonly NotedCall[]): number {
  const failed = calls.filter(
    ({ about, fault, input }) =>
      about === 'RateCounters' &&
      fault !== 'throttled' &&
      JSON.stringify(input?.Key ?? '').includes('refusals|'),
  );
  const writes = Map.groupBy(
    failed,
    ({ process, input }) => `${process} ${JSON.stringify(input?.ExpressionAttributeValues)}`,
  );
  return [...writes.values()].reduce((sum, tries) => {
    const { process = '', atMs: sinceMs = 0, input } = tries[0] ?? {};
    const untilMs = (tries.at(-1)?.atMs ?? 0) + triedAgainMs;
    const isBeside = calls.some(
      (one) =>
        one.about === 'RateCounters' &&
        one.operation === 'UpdateItem' &&
        one.process !== process &&
        one.atMs > sinceMs - triedAgainMs &&
        one.atMs < untilMs &&
        one.process.split(' ')[0] === process.split(' ')[0],
    );
    const isLate = tries.some(({ fault }) => fault === 'arrives late' || fault === 'is answered late');
    const values = Object(input?.ExpressionAttributeValues) as Item;
    return tries.length >= sdkTries || isLate || isBeside ? sum + Number(textOf(values, ':count')) : sum;
  }, 0);
}

/** A text or a number. */
function textOf(row: Item, name: string): string {
  const value = row[name];
  if (value === undefined) return '';
  return 'S' in value ? value.S : 'N' in value ? value.N : '';
}
