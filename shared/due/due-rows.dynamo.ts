/** Reads a table's index `due` shard by shard, and moves the rows in it. */
import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { updateIf } from '../platform/aws/conditional-write.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { dueShards } from './due-index.ts';

/** Returns the functions that read and move a table's due rows. @param key - the attribute that is the table's whole key */
export function dueRowsOf({ db }: Context, TableName: string, key: string) {
  return {
    /**
     * Returns the rows of a shard that are due by `until`, earliest first, page by page: those due for the first time, or
     * those due again.
     */
    async *pages(
      shard: number,
      until: Date,
      which: 'first' | 'again',
    ): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
      const pages = paginateQuery(
        { client: db },
        {
          TableName,
          IndexName: 'due',
          KeyConditionExpression: 'due_shard = :shard AND due_at <= :until',
          ExpressionAttributeValues: { ':shard': String(shard), ':until': until.toISOString() },
          FilterExpression: `attribute_${which === 'first' ? 'not_' : ''}exists(due_looks)`,
        },
      );
      for await (const { Items = [] } of pages) yield Items;
    },

    /** Moves a row, unless it was meanwhile finished or moved. */
    async move(row: Readonly<Record<string, unknown>>, dueAt: Date, looks: number): Promise<void> {
      const moved = { due_at: dueAt.toISOString(), due_looks: looks };
      await updateIf(db, { TableName, Key: { [key]: row[key] } }, { due_at: row.due_at }, moved);
    },
  };
}

export type DueRows = ReturnType<typeof dueRowsOf>;

/** Returns the earliest rows of each shard that are due between two times, up to a limit that keeps the read cheap. */
export async function rowsDueLater(
  { db }: Context,
  TableName: string,
  { from, until, rowsPerShard }: { readonly from: Date; readonly until: Date; readonly rowsPerShard: number },
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const pages = await Promise.all(
    Array.from({ length: dueShards }, (_, shard) =>
      db.send(
        new QueryCommand({
          TableName,
          IndexName: 'due',
          KeyConditionExpression: 'due_shard = :shard AND due_at BETWEEN :from AND :until',
          ExpressionAttributeValues: {
            ':shard': String(shard),
            ':from': from.toISOString(),
            ':until': until.toISOString(),
          },
          Limit: rowsPerShard,
        }),
      ),
    ),
  );
  return pages.flatMap(({ Items = [] }) => Items);
}
