/** The suppressions table as the comparison with a carrier's list reads it: the rows of all clients, also of suppressions that ended. */
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import {
  effectiveSuppression,
  isSuppression,
  type RowKey,
  rowKey,
  type SuppressionRow,
  suppressionRow,
} from './suppression.ts';

export interface SuppressionChanges {
  /**
   * Reads so many rows, in no order, and gives those that changed at or after this time; undefined: all.
   *
   * @param after - the key of a row, at which the reading continues
   */
  changedSince(since: Date | undefined, rowsRead: number, after: RowKey | undefined): Promise<ChangedRows>;
  /** The row is not deleted as one that ended; nothing where it has ended again. */
  keep(row: RowKey): Promise<void>;
}

interface ChangedRows {
  readonly rows: readonly SuppressionRow[];
  /** Suppressions that would be deleted: they had ended, and a person set them again in the console, whenever that was. */
  readonly ending: readonly RowKey[];
  /** Present if there may be more. */
  readonly nextAfter?: RowKey;
}

const isRow = 'attribute_exists(changed_at)';
const suppresses = '(attribute_exists(#scope) OR attribute_exists(suppressed_at))';
const ExpressionAttributeNames = { '#scope': 'scope' };

/** Scans: the comparison looks at every row, which costs half a read unit for 4 KB of them. */
export function dynamoSuppressionChanges(
  client: DynamoDBDocumentClient,
  TableName: string,
): SuppressionChanges {
  return {
    async changedSince(since, rowsRead, after) {
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
        rows: Items.flatMap(readable),
        ending: Items.filter((item) => item.purge_at !== undefined)
          .map(effectiveSuppression)
          .filter(isSuppression),
        ...(LastEvaluatedKey === undefined ? {} : { nextAfter: rowKey.parse(LastEvaluatedKey) }),
      };
    },

    async keep({ client_id, recipient }) {
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

/** Leaves out a row that a person made invalid: what it says is unknown, so no list of a carrier is changed by it. */
function readable(item: unknown): SuppressionRow[] {
  const parsed = suppressionRow.safeParse(item);
  return parsed.success ? [parsed.data] : [];
}
