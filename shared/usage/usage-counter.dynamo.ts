/**
 * Counts in two tables: `message-usage` has a row for each period and client, `counted-changes` the ids of the stream
 * records in these rows.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { addDays, type Clock, epochSeconds } from '../platform/clock.ts';
import { idDigits, type UsageAddition, type UsageCounter } from './count-changes.ts';
import { purgedAt } from './period.ts';

interface UsageTables {
  readonly usage: string;
  readonly countedChanges: string;
}

/** The stream has a record for 24 hours. */
const idsKeptDays = 3;

const partRow = z.object({ part: z.string(), ids: z.instanceof(Uint8Array) });

/** The reasons for which a transaction may succeed later. */
const passing = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
]);

export function dynamoUsageCounter(
  client: DynamoDBDocumentClient,
  tables: UsageTables,
  clock: Clock,
): UsageCounter {
  return {
    async counted(minute) {
      const ids = new Set<string>();
      let parts = 0;
      let after: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: tables.countedChanges,
            KeyConditionExpression: '#minute = :minute',
            ExpressionAttributeNames: { '#minute': 'minute' },
            ExpressionAttributeValues: { ':minute': minute },
            ConsistentRead: true,
            ExclusiveStartKey: after,
          }),
        );
        for (const item of Items) {
          const row = partRow.parse(item);
          // A part that was written while this read went on may come after one that the read did not see.
          if (row.part !== partKey(parts)) return { ids, parts };
          for (const id of idsIn(row.ids)) ids.add(id);
          parts += 1;
        }
        after = LastEvaluatedKey;
      } while (after !== undefined);
      return { ids, parts };
    },

    async count(minute, part, ids, additions) {
      const written = new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName: tables.countedChanges,
              Item: {
                minute,
                part: partKey(part),
                ids: Buffer.from(ids.join(''), 'hex'),
                purge_at: epochSeconds(addDays(clock(), idsKeptDays)),
              },
              ConditionExpression: 'attribute_not_exists(part)',
            },
          },
          ...additions.map((addition) => ({ Update: additionTo(tables.usage, addition) })),
        ],
      });
      try {
        await client.send(written);
        return true;
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
        if (reasons.every((reason) => passing.has(reason))) return false;
        throw error;
      }
    },
  };
}

function additionTo(TableName: string, { period, clientId, amounts }: UsageAddition) {
  const entries = [...amounts];
  return {
    TableName,
    Key: { period: period.name, client_id: clientId },
    UpdateExpression: `SET purge_at = :p ADD ${entries.map((_entry, i) => `#${i} :${i}`).join(',')}`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], i) => [`#${i}`, name])),
    ExpressionAttributeValues: {
      ':p': purgedAt(period),
      ...Object.fromEntries(entries.map(([, amount], i) => [`:${i}`, amount])),
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
