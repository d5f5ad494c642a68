/** Writes many rows of a table, in batches. */
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import { retryRemaining } from '../../../shared/platform/retry.ts';

/** The maximum of one call. */
const writeBatchSize = 25;
const callsAtOnce = 8;

export async function writeRows(
  dynamo: DynamoDBDocumentClient,
  table: string | undefined,
  rows: readonly object[],
): Promise<void> {
  if (table === undefined) throw new Error('there is no such table');
  const batches = chunksOf(rows, writeBatchSize).map((batch) =>
    batch.map((Item) => ({ PutRequest: { Item: { ...Item } } })),
  );
  for (const some of chunksOf(batches, callsAtOnce)) {
    await Promise.all(
      some.map((batch) =>
        retryRemaining(batch, async (left) => {
          const request = new BatchWriteCommand({ RequestItems: { [table]: [...left] } });
          const undone = (await dynamo.send(request)).UnprocessedItems?.[table] ?? [];
          return undone.length === 0 ? [] : left;
        }),
      ),
    );
  }
}
