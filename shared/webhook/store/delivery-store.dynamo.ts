/** The webhook-deliveries table. A write that the SDK repeats after a lost response recognises its revision in the row. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../../platform/aws/batch-read.dynamo.ts';
import { tryConditionalWrite } from '../../platform/aws/conditional-write.dynamo.ts';
import { deliverySchema } from '../delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';

export function dynamoDeliveryStore(client: DynamoDBDocumentClient, tableName: string): DeliveryStore {
  return {
    async create(delivery) {
      const creating = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...delivery },
            ConditionExpression: 'attribute_not_exists(delivery_id)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return creating.applied ? delivery : deliverySchema.parse(creating.row);
    },

    async get(deliveryId) {
      const answer = await client.send(
        new GetCommand({ TableName: tableName, Key: { delivery_id: deliveryId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? undefined : deliverySchema.parse(answer.Item);
    },

    async getMany(deliveryIds, options) {
      const keys = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      const rows = await batchRead(client, tableName, keys, { ConsistentRead: options?.consistent ?? true });
      return rows.map((row) => deliverySchema.parse(row));
    },

    async replace(seen, next) {
      const replacing = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...next },
            ConditionExpression: 'revision = :seen',
            ExpressionAttributeValues: { ':seen': seen.revision },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return replacing.applied || replacing.row?.revision === next.revision;
    },
  };
}
