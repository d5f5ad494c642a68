/** The deliveries in the webhook-deliveries table. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../../platform/aws/batch-read.dynamo.ts';
import { deliverySchema } from '../delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { dynamoRevisedRows } from './revised-rows.dynamo.ts';

export function dynamoDeliveryStore(client: DynamoDBDocumentClient, tableName: string): DeliveryStore {
  return {
    ...dynamoRevisedRows(client, tableName, deliverySchema, ({ delivery_id }) => delivery_id),

    async getMany(deliveryIds, options) {
      const keys = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      const rows = await batchRead(client, tableName, keys, { ConsistentRead: options?.consistent ?? true });
      return rows.map((row) => deliverySchema.parse(row));
    },
  };
}
