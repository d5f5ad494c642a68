/**
 * Counts each change of a message exactly once in usage (`count-journal.dynamo.ts`): in the hour, day and month in which
 * the message was accepted, for its client and for all clients.
 */
import { clientIdIn, keptDays, modeOf } from '../contract/mode.ts';
import {
  identityOf,
  isClosedForUsage,
  isRestoreWrite,
  rowIn,
  type StreamRecord,
} from '../platform/aws/stream-record.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { amountsOf, type CountedMessage, parseCountedMessage } from './amounts.ts';
import { type CountedChange, type Counter, counterOf, type Groups, sumOf } from './count-journal.dynamo.ts';
import { intervals, periodAt, usageKeptDays } from './period.ts';

/**
 * The key of rows with the sums of all clients. For test data, the key gets the same suffix as a client id (`clientIdIn`).
 */
export const allClients = '*';

export function usageCounter(context: Context<'COUNT_JOURNAL_TABLE' | 'MESSAGE_USAGE_TABLE'>): Counter {
  return counterOf(context, { journal: 'usage', sumsTable: context.env.MESSAGE_USAGE_TABLE, rowsOf });
}

/** Returns the group of a client's messages in one hour. */
function groupOf({ client_id, created_at }: CountedMessage): string {
  return `${periodAt('hour', new Date(created_at)).name} ${client_id}`;
}

function rowsOf(group: string) {
  const [hour = '', client = ''] = group.split(/ (.*)/);
  return intervals.flatMap((interval) => {
    const period = periodAt(interval, new Date(`${hour}:00:00.000Z`));
    return [client, clientIdIn(modeOf(client), allClients)].map((client_id) => ({
      key: { period: period.name, client_id },
      purgeAt: epochSeconds(addDays(period.to, keptDays(client_id, usageKeptDays))),
    }));
  });
}

/**
 * Returns the amounts that records of the messages' stream add to usage. Deletions and restored rows add no amounts,
 * because usage is kept longer than messages. Later changes of restored messages that were in flight also add no amounts.
 *
 * @throws Error if a record lacks a number or time, which DynamoDB always sets.
 */
export function usageChanges(records: readonly StreamRecord[]): CountedChange[] {
  return records.flatMap((record) => {
    const { OldImage, NewImage } = record.dynamodb ?? {};
    if (NewImage === undefined || isRestoreWrite(record) || isClosedForUsage(record)) return [];
    const [before, after] = [OldImage, NewImage].map((image) => parseCountedMessage(rowIn(image)));
    return [{ sequence: identityOf(record).sequence, groups: groupsOf(before, after) }];
  });
}

/**
 * Returns the amounts of the new row minus those of the old row. A row that an edit made invalid adds no amounts until it
 * is corrected.
 */
function groupsOf(before: CountedMessage | undefined, after: CountedMessage | undefined): Groups {
  const amounts = (message: CountedMessage | undefined, sign: 1 | -1): Groups =>
    new Map(
      message === undefined
        ? []
        : [[groupOf(message), new Map(Array.from(amountsOf(message), ([name, n]) => [name, sign * n]))]],
    );
  return sumOf([amounts(after, 1), amounts(before, -1)]);
}
