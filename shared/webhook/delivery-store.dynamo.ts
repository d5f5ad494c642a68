/** The webhook-deliveries table. A write that the SDK repeats after a lost answer recognises itself by its revision. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
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
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return delivery;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
        return deliverySchema.parse(unmarshall(error.Item));
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
  };
}
