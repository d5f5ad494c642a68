/** Counts the records of a stream in tables of a test, as the function `count-usage` does. A wait advances its clock. */
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { usageCounter as counterFor, usageChanges } from '../../../shared/usage/count-changes.ts';
import { addUpNotes, type CountedChanges, noteChanges } from '../../../shared/usage/count-journal.dynamo.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

export function usageCounter(
  { dynamo, names }: TestTables,
  { start = new Date('2026-11-20T12:00:00.000Z'), kill = noKill() }: { start?: Date; kill?: Kill } = {},
) {
  let waitedMs = 0;
  const sleep = async (ms: number) => {
    waitedMs += ms;
  };
  const clock = () => new Date(start.getTime() + waitedMs);
  const counter = counterFor(testContext({ dynamo: killable(dynamo, kill), names }, { clock, sleep }));
  /** @param isLast - whether the window of the shard ends with it */
  return async (
    records: readonly StreamRecord[],
    { shard = 'shard-1', isLast = true } = {},
  ): Promise<CountedChanges> => {
    const counted = await noteChanges(counter, shard, usageChanges(records));
    await addUpNotes(counter, { waits: isLast });
    return counted;
  };
}
