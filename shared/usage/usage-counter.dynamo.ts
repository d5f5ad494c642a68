/**
 * Counts in two tables: one has the sums, `counted-changes` the ids of the stream records in them. The usage of messages
 * has a row for each period and client.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { addAmounts } from '../platform/aws/conditional-write.dynamo.ts';
import { queryRows } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, type Clock, epochSeconds } from '../platform/clock.ts';
import type { Amounts } from './amounts.ts';
import type { UsageCounter } from './count-changes.ts';
import { idDigits, type OnceCounter } from './count-once.ts';
import { purgedAt } from './period.ts';

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
        purgeAt: purgedAt(period, clientId),
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

    async count(minute, part, ids, additions) {
      const written = new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName: tables.countedChanges,
              Item: {
                minute: keyOf(minute),
                part: partKey(part),
                ids: Buffer.from(ids.join(''), 'hex'),
                purge_at: epochSeconds(addDays(clock(), idsKeptDays)),
              },
              ConditionExpression: 'attribute_not_exists(part)',
            },
          },
          ...additions.map((row) => {
            const { key, purgeAt } = tables.rowOf(row);
            return { Update: { TableName: tables.sums, Key: key, ...addAmounts(row.amounts, purgeAt) } };
          }),
        ],
      });
      try {
        await client.send(written);
        return true;
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
        if (reasons.every((reason) => retryableReasons.has(reason))) return false;
        throw error;
      }
    },
  };
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
