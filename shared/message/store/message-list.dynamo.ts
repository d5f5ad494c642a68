/** Merges the shards of a client's list; with a reference, reads the index by reference. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type ListedKey, type ListRange, listShards, type MessageList } from './message-list.ts';

const indexRow = z.object({ message_id: z.string(), list_at: z.string() });

export function dynamoMessageList(client: DynamoDBDocumentClient, tableName: string): MessageList {
  async function* partition(
    index: { readonly name: string; readonly key: string; readonly value: string },
    range: ListRange,
    pageSize: number,
  ): AsyncGenerator<ListedKey> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: index.name,
          KeyConditionExpression: `${index.key} = :key AND list_at BETWEEN :from AND :before`,
          ExpressionAttributeValues: {
            ':key': index.value,
            ':from': range.from,
            ':before': range.before,
          },
          ScanIndexForward: false,
          Limit: pageSize,
          ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
        }),
      );
      for (const item of answer.Items ?? []) {
        const row = indexRow.parse(item);
        // `BETWEEN` includes both ends; `before` is the last message of the previous page.
        if (row.list_at !== range.before) yield { messageId: row.message_id, position: row.list_at };
      }
      startKey = answer.LastEvaluatedKey;
    } while (startKey !== undefined);
  }

  return {
    keys(range, pageSize) {
      if (range.reference !== undefined) {
        const value = `${range.clientId}#${range.reference}`;
        return partition({ name: 'by-reference', key: 'reference_key', value }, range, pageSize);
      }
      const shards = Array.from({ length: listShards }, (_, shard) =>
        partition(
          { name: 'by-client', key: 'list_key', value: `${range.clientId}#${shard}` },
          range,
          pageSize,
        ),
      );
      return newestFirst(shards);
    },
  };
}

/** Merges sequences that are sorted newest first. */
async function* newestFirst(sources: readonly AsyncGenerator<ListedKey>[]): AsyncGenerator<ListedKey> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let newest: { readonly key: ListedKey; readonly source: number } | undefined;
    for (const [source, head] of heads.entries()) {
      if (head.done === true) continue;
      if (newest === undefined || head.value.position > newest.key.position) {
        newest = { key: head.value, source };
      }
    }
    if (newest === undefined) return;
    yield newest.key;
    const next = await sources[newest.source]?.next();
    if (next !== undefined) heads[newest.source] = next;
  }
}
