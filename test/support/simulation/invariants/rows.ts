/** The feedback that rows give to the people who edit them. */
import { isDeepStrictEqual } from 'node:util';
import { type Invariant, timeOf } from './invariant.ts';

/** Feedback is there within seconds. */
const feedbackMs = 20_000;

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
} as const satisfies Record<string, Invariant>;
