/** Reads the index `due` of a table, shard by shard, and moves the rows in it. */
import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { updateIf } from '../platform/aws/conditional-write.dynamo.ts';

type Row = Readonly<Record<string, unknown>>;

/** @param key - the attribute that is the whole key of the table */
export function dynamoDueRows(client: DynamoDBDocumentClient, TableName: string, key: string) {
  return {
    /** Returns the rows of a shard that are due by then for the first time, or again, earliest first, page by page. */
    async *pages(shard: number, until: Date, which: 'first' | 'again'): AsyncGenerator<readonly Row[]> {
      const pages = paginateQuery(
        { client },
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

    /** Moves a row, unless it was finished or moved since it was read. */
    async move(row: Row, dueAt: Date, looks: number): Promise<void> {
      const moved = { due_at: dueAt.toISOString(), due_looks: looks };
      await updateIf(client, { TableName, Key: { [key]: row[key] } }, { due_at: row.due_at }, moved);
    },
  };
}

export type DueRows = ReturnType<typeof dynamoDueRows>;
