/** The run of each minute on the tables of a test, with a queue that is a list. */
import { sendKinds } from '../../../shared/contract/channels.ts';
import { dynamoDueRows } from '../../../shared/due/due-rows.dynamo.ts';
import { queueDueRows } from '../../../shared/due/queue-due-rows.ts';
import { dueEntryOf, type OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { TestTables } from '../engine/test-tables.ts';

export function dueRuns({ dynamo, names }: TestTables, clock: Clock) {
  const queued: OutboundEntry[] = [];
  return {
    queued,
    /** Returns what the run queued. */
    async run(): Promise<OutboundEntry[]> {
      const before = queued.length;
      const { failures } = await queueDueRows({
        rows: dynamoDueRows(dynamo, names.messages, 'message_id'),
        entryOf: dueEntryOf,
        enqueue: async (entries) => void queued.push(...entries),
        kinds: sendKinds,
        waiting: async () => 0,
        reportBad: (_row, error) => {
          throw error;
        },
        clock,
        sleep: async () => undefined,
        budgetMs: 40_000,
      });
      if (failures.length > 0) throw new AggregateError(failures);
      return queued.slice(before);
    },
  };
}
