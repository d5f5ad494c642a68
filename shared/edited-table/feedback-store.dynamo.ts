/**
 * Reads rows of a table that operators edit, and writes feedback into them. Rows are compared in DynamoDB's own form,
 * because a typed number can be longer than a JavaScript number.
 */
import {
  type AttributeValue,
  QueryCommand,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import type { FeedbackStore, StoredRow } from './feedback.ts';
import { type EditedTable, type Image, unchangedRow } from './row-editor.dynamo.ts';

export function dynamoFeedbackStore(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
  { sortKey, attributes }: EditedTable,
): FeedbackStore<Image> {
  /**
   * The attributes that a review depends on, and the previous feedback. If any of them has changed, a newer review
   * decides.
   */
  const comparedAttributes = [...attributes, 'status', 'status_message'];
  return {
    rowsOf: (clientId) =>
      allPages((ExclusiveStartKey) =>
        dynamo.send(
          new QueryCommand({
            TableName,
            // Feedback that another review has just written must be seen.
            ConsistentRead: true,
            KeyConditionExpression: 'client_id = :client_id',
            ExpressionAttributeValues: { ':client_id': { S: clientId } },
            ExclusiveStartKey,
          }),
        ),
      ),
    allRows: () =>
      allPages((ExclusiveStartKey) =>
        // A consistent read: the previous feedback may be right for the row before the edit.
        dynamo.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey })),
      ),
    notYetExpired: async () => {
      const stored = await allPages((ExclusiveStartKey) =>
        dynamo.send(
          new ScanCommand({
            TableName,
            FilterExpression: 'attribute_exists(expires_at) AND NOT #status = :expired',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':expired': { S: 'expired' } },
            ExclusiveStartKey,
          }),
        ),
      );
      return stored.map(({ row }) => row);
    },
    write: async ({ image }, { status, status_message }) => {
      const { client_id, [sortKey]: sort } = image;
      if (client_id === undefined || sort === undefined) throw new Error('a row without its key');
      const unchanged = unchangedRow(image, comparedAttributes);
      const { applied } = await conditionalUpdateItem(dynamo, {
        TableName,
        Key: { client_id, [sortKey]: sort },
        UpdateExpression: 'SET #status = :new_status, #message = :new_message',
        ConditionExpression: unchanged.ConditionExpression,
        ExpressionAttributeNames: {
          ...unchanged.ExpressionAttributeNames,
          '#status': 'status',
          '#message': 'status_message',
        },
        ExpressionAttributeValues: {
          ...unchanged.ExpressionAttributeValues,
          ':new_status': { S: status },
          ':new_message': { S: status_message },
        },
      });
      return applied;
    },
  };
}

async function allPages(
  read: (
    start: Record<string, AttributeValue> | undefined,
  ) => Promise<QueryCommandOutput | ScanCommandOutput>,
): Promise<StoredRow<Image>[]> {
  const rows: StoredRow<Image>[] = [];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await read(start);
    rows.push(...Items.map((image) => ({ image, row: unmarshall(image, { wrapNumbers: Number }) })));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return rows;
}
