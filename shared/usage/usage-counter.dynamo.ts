/**
 * Counts in two tables: one has the sums, `counted-changes` the ids of the stream records in them. The usage of messages
 * has a row for each period and client.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { keptDays, type Mode, modeOf } from '../contract/mode.ts';
import { addAmounts } from '../platform/aws/conditional-write.dynamo.ts';
import { isSenderFault } from '../platform/aws/permanent-fault.ts';
import { batchRead, queryRows } from '../platform/aws/read-rows.dynamo.ts';
import {
  identityOf,
  isClosedForUsage,
  isRestoreWrite,
  rowIn,
  type StreamRecord,
} from '../platform/aws/stream-record.dynamo.ts';
import { addDays, type Clock, epochSeconds } from '../platform/clock.ts';
import { countFunctionFailure, log } from '../platform/log.ts';
import { type Amounts, numbersIn, parseCountedMessage } from './amounts.ts';
import type { ChangeRecord, UsageCounter } from './count-changes.ts';
import { idDigits, type OnceCounter } from './count-once.ts';
import { usageKeptDays } from './period.ts';

interface CounterTables<Row> {
  readonly sums: string;
  readonly countedChanges: string;
  /** Before the minutes in `counted-changes`, which counters of several streams share. */
  readonly prefix: string;
  readonly rowOf: (addition: Row) => {
    readonly key: Readonly<Record<string, string>>;
    readonly purgeAt: number;
  };
}

/** The stream has a record for 24 hours. */
const idsKeptDays = 3;

const partRow = z.object({ part: z.string(), ids: z.instanceof(Uint8Array) });

/** The reasons for which a transaction may succeed later. */
const retryableReasons = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
]);

export function dynamoUsageCounter(
  client: DynamoDBDocumentClient,
  tables: { readonly usage: string; readonly countedChanges: string },
  clock: Clock,
): UsageCounter {
  return dynamoOnceCounter(
    client,
    {
      sums: tables.usage,
      countedChanges: tables.countedChanges,
      prefix: '',
      rowOf: ({ period, clientId }) => ({
        key: { period: period.name, client_id: clientId },
        purgeAt: epochSeconds(addDays(period.to, keptDays(clientId, usageKeptDays))),
      }),
    },
    clock,
  );
}

export function dynamoOnceCounter<Row extends { readonly amounts: Amounts }>(
  client: DynamoDBDocumentClient,
  tables: CounterTables<Row>,
  clock: Clock,
): OnceCounter<Row> {
  const keyOf = (minute: string): string => `${tables.prefix}${minute}`;
  return {
    async counted(minute) {
      const ids = new Set<string>();
      let parts = 0;
      const rows = queryRows(client, {
        TableName: tables.countedChanges,
        KeyConditionExpression: '#minute = :minute',
        ExpressionAttributeNames: { '#minute': 'minute' },
        ExpressionAttributeValues: { ':minute': keyOf(minute) },
        ConsistentRead: true,
      });
      for await (const item of rows) {
        const row = partRow.parse(item);
        // A part that was written while this read went on may come after one that the read did not see.
        if (row.part !== partKey(parts)) break;
        for (const id of idsIn(row.ids)) ids.add(id);
        parts += 1;
      }
      return { ids, parts };
    },

    count: (minute, part, ids, additions) =>
      write(
        {
          minute: keyOf(minute),
          part: partKey(part),
          ids: Buffer.from(ids.join(''), 'hex'),
          purge_at: epochSeconds(addDays(clock(), idsKeptDays)),
        },
        additions,
      ),
  };

  /** Leaves out rows that a person edited so that nothing can be added to them: the others must not wait for them. */
  async function write(Item: Readonly<Record<string, unknown>>, additions: readonly Row[]): Promise<boolean> {
    const ConditionExpression = 'attribute_not_exists(part)';
    const updates = additions.map((row) => {
      const { key, purgeAt } = tables.rowOf(row);
      return { Update: { TableName: tables.sums, Key: key, ...addAmounts(row.amounts, purgeAt) } };
    });
    const part = { Put: { TableName: tables.countedChanges, Item, ConditionExpression } };
    try {
      await client.send(new TransactWriteCommand({ TransactItems: [part, ...updates] }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
      if (reasons.every((reason) => retryableReasons.has(reason))) return false;
      const isRefused = (_row: Row, index: number): boolean => isSenderFault(reasons[index + 1] ?? 'None');
      const refused = additions.filter(isRefused);
      if (refused.length === 0) throw error;
      const others = additions.filter((row) => !refused.includes(row));
      const written = await write(Item, others);
      if (written) for (const row of refused) reportNotCounted(row);
      return written;
    }
  }

  /** The line has what a person must add to the row after its correction. */
  function reportNotCounted(row: Row): void {
    log.error('row not counted', { ...tables.rowOf(row).key, amounts: Object.fromEntries(row.amounts) });
    countFunctionFailure();
  }
}

/** Sorts as the number does. */
function partKey(part: number): string {
  return String(part).padStart(6, '0');
}

function idsIn(bytes: Uint8Array): string[] {
  const digits = Buffer.from(bytes).toString('hex');
  return Array.from({ length: digits.length / idDigits }, (_, i) =>
    digits.slice(i * idDigits, (i + 1) * idDigits),
  );
}

/** The amounts of one client, or of all (`*`), in one period. */
export interface UsageRow {
  readonly period: string;
  readonly clientId: string;
  readonly amounts: Amounts;
}

const usageRow = z.looseObject({ period: z.string(), client_id: z.string() });

export type UsageReader = ReturnType<typeof dynamoUsageReader>;

/** Reads usage rows: some clients' in many periods by their keys, or all clients' of one period by a query. */
export function dynamoUsageReader(client: DynamoDBDocumentClient, tableName: string) {
  return {
    /** The rows that exist, in no order. */
    async rowsOf(clientId: string, periods: readonly string[]): Promise<UsageRow[]> {
      const keys = periods.map((period) => ({ period, client_id: clientId }));
      return (await batchRead(client, tableName, keys)).map(parsed);
    },

    /** The rows of every client that had messages of this mode in this period, and the row of all clients. */
    async rowsIn(period: string, mode: Mode = 'live'): Promise<UsageRow[]> {
      const rows = queryRows(client, {
        TableName: tableName,
        KeyConditionExpression: '#period = :period',
        ExpressionAttributeNames: { '#period': 'period' },
        ExpressionAttributeValues: { ':period': period },
      });
      return (await Array.fromAsync(rows, parsed)).filter(({ clientId }) => modeOf(clientId) === mode);
    },
  };
}

function parsed(row: unknown): UsageRow {
  const { period, client_id, purge_at: _purgeAt, ...amounts } = usageRow.parse(row);
  return { period, clientId: client_id, amounts: new Map(numbersIn(amounts)) };
}

/**
 * The changes in these records; deletions and restored rows are left out, and what follows of those that were in flight.
 *
 * @throws Error if a record has no id or no time, which DynamoDB gives to each.
 */
export function changeRecords(records: readonly StreamRecord[]): ChangeRecord[] {
  return records.flatMap((record) => {
    const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
    if (after === undefined || isRestoreWrite(record) || isClosedForUsage(record)) return [];
    return [
      {
        ...identityOf(record),
        before: parseCountedMessage(rowIn(before)),
        after: parseCountedMessage(rowIn(after)),
      },
    ];
  });
}
