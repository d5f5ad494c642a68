/** The webhook-deliveries table. A write that the SDK repeats after a lost answer recognises itself by its revision. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { deliverySchema } from './delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';

export function dynamoDeliveryStore(client: DynamoDBDocumentClient, tableName: string): DeliveryStore {
  return {
    async create(delivery) {
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...delivery },
            ConditionExpression: 'attribute_not_exists(delivery_id)',
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async get(deliveryId) {
      const answer = await client.send(
        new GetCommand({ TableName: tableName, Key: { delivery_id: deliveryId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? undefined : deliverySchema.parse(answer.Item);
    },

    async replace(seen, next) {
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...next },
            ConditionExpression: 'revision = :seen',
            ExpressionAttributeValues: { ':seen': seen.revision },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) {
          return error.Item?.revision?.S === next.revision;
        }
        throw error;
      }
    },

    async findOverdue(shard, until, limit) {
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'by-due',
          KeyConditionExpression: 'due_shard = :shard AND due_at <= :until',
          ExpressionAttributeValues: { ':shard': String(shard), ':until': until.toISOString() },
          Limit: limit,
        }),
      );
      return z
        .array(indexRow)
        .parse(answer.Items ?? [])
        .map((row) => ({ deliveryId: row.delivery_id, dueAt: row.due_at }));
    },
  };
}

const indexRow = z.object({ delivery_id: z.string(), due_at: z.string() });
