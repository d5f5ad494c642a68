/** The webhook-deliveries table. A write that the SDK repeats after a lost response recognises its revision in the row. */
import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
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
      const found: unknown[] = [];
      let keys: Record<string, unknown>[] = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      // A response is at most 16 MB; the keys that it left out are requested again.
      while (keys.length > 0) {
        const wanted = { Keys: keys, ConsistentRead: options?.consistent ?? true };
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetCommand({ RequestItems: { [tableName]: wanted } }),
        );
        found.push(...(Responses?.[tableName] ?? []));
        keys = UnprocessedKeys?.[tableName]?.Keys ?? [];
      }
      return found.map((row) => deliverySchema.parse(row));
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
