/** Counts the records of a stream in tables of a test, as the function `count-usage` does. A wait advances its clock. */
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { countingUsage, usageChanges } from '../../../shared/usage/count-changes.ts';
import { addUpNotes, type CountedChanges, noteChanges } from '../../../shared/usage/count-journal.dynamo.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

export function usageCounter(
  { dynamo, names }: TestTables,
  { start = new Date('2026-11-20T12:00:00.000Z'), kill = noKill() }: { start?: Date; kill?: Kill } = {},
) {
  let waitedMs = 0;
  const ctx = countingUsage(
    { journalTable: names.count_journal, usageTable: names.message_usage },
    {
      dynamo: killable(dynamo, kill),
      clock: () => new Date(start.getTime() + waitedMs),
      sleep: async (ms) => {
        waitedMs += ms;
      },
    },
  );
  /** @param isLast - whether the window of the shard ends with it */
  return async (
    records: readonly StreamRecord[],
    { shard = 'shard-1', isLast = true } = {},
  ): Promise<CountedChanges> => {
    const counted = await noteChanges(ctx, shard, usageChanges(records));
    await addUpNotes(ctx, { waits: isLast });
    return counted;
  };
}
