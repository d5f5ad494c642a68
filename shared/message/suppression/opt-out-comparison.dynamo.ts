/**
 * The suppressions table as the comparison with a carrier's list reads it: the rows of all clients, also of suppressions that ended,
 * and its progress, which is one row under a key that no client has.
 */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { effectiveSuppression, isSuppression, type RowKey, rowKey, suppressionRow } from './suppression.ts';

export type SuppressionChanges = ReturnType<typeof dynamoSuppressionChanges>;

/** How far the comparison is; a run that ends early is continued by the next one. */
export interface ComparisonProgress {
  readonly startedAt: Date;
  /** Only changes since this time are compared; undefined means everything. */
  readonly since?: Date | undefined;
  readonly phase: 'list' | 'suppressions';
  /** The position in the list or in the table; undefined at its start. */
  readonly position?: string | undefined;
}

export type ProgressStore = ReturnType<typeof dynamoOptOutProgress>;

const isRow = 'attribute_exists(changed_at)';
const suppresses = '(attribute_exists(#scope) OR attribute_exists(suppressed_at))';
const ExpressionAttributeNames = { '#scope': 'scope' };

/** Scans: the comparison looks at every row, which costs half a read unit for 4 KB of them. */
export function dynamoSuppressionChanges(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /**
     * Reads so many rows, in no order, and gives those that changed at or after this time; undefined: all.
     *
     * @param after - the key of a row, at which the reading continues
     */
    async changedSince(since: Date | undefined, rowsRead: number, after: RowKey | undefined) {
      // A change that was learned late has an early time.
      const isChanged =
        since === undefined ? isRow : `${isRow} AND (changed_at >= :since OR stored_at >= :since)`;
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          Limit: rowsRead,
          FilterExpression: `${isChanged} OR (attribute_exists(purge_at) AND ${suppresses})`,
          ExpressionAttributeNames,
          ExpressionAttributeValues: since && { ':since': since.toISOString() },
          ExclusiveStartKey: after,
        }),
      );
      return {
        // Without one that a person made invalid: what it says is unknown, so no list of a carrier is changed by it.
        rows: Items.flatMap((item) => suppressionRow.safeParse(item).data ?? []),
        // They would be deleted: they had ended, and a person set them again in the console, whenever that was.
        ending: Items.filter((item) => item.purge_at !== undefined)
          .map(effectiveSuppression)
          .filter(isSuppression),
        // Absent if there are no more.
        ...(LastEvaluatedKey === undefined ? {} : { nextAfter: rowKey.parse(LastEvaluatedKey) }),
      };
    },

    /** The row is not deleted as one that ended; nothing where it has ended again. */
    async keep({ client_id, recipient }: RowKey): Promise<void> {
      await conditionalUpdate(client, {
        TableName,
        Key: { client_id, recipient },
        UpdateExpression: 'REMOVE purge_at',
        ConditionExpression: suppresses,
        ExpressionAttributeNames,
      });
    },
  };
}

const time = z.pipe(
  z.iso.datetime(),
  z.transform((text) => new Date(text)),
);

const progressRow = z.object({
  started_at: time,
  since: z.exactOptional(time),
  phase: z.enum(['list', 'suppressions']),
  position: z.exactOptional(z.string()),
});

export function dynamoOptOutProgress(client: DynamoDBDocumentClient, TableName: string, listName: string) {
  const Key = { client_id: '#opt-out-list', recipient: listName };
  return {
    async read(): Promise<ComparisonProgress | undefined> {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      // A person made the row invalid: everything is compared, where a change twice changes nothing.
      const row = progressRow.safeParse(Item);
      if (!row.success) return undefined;
      const { started_at: startedAt, ...rest } = row.data;
      return { startedAt, ...rest };
    },
    async write({ startedAt, since, phase, position }: ComparisonProgress): Promise<void> {
      const times = { started_at: startedAt.toISOString(), since: since?.toISOString() };
      const Item = { ...Key, ...times, phase, position };
      await client.send(new PutCommand({ TableName, Item }));
    },
  };
}
