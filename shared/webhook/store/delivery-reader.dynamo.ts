/** Reads many rows of the webhook-deliveries table in one call. */
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { deliverySchema } from '../delivery.ts';
import type { DeliveryReader } from './delivery-reader.ts';

type Key = Record<string, unknown>;

export function dynamoDeliveryReader(client: DynamoDBDocumentClient, tableName: string): DeliveryReader {
  return {
    async getMany(deliveryIds, reading) {
      const found: unknown[] = [];
      let keys: Key[] = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      // An answer ends at 16 MB; what is left over is asked for again.
      while (keys.length > 0) {
        const wanted = { Keys: keys, ConsistentRead: reading?.consistent ?? true };
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetCommand({ RequestItems: { [tableName]: wanted } }),
        );
        found.push(...(Responses?.[tableName] ?? []));
        keys = UnprocessedKeys?.[tableName]?.Keys ?? [];
      }
      return found.map((row) => deliverySchema.parse(row));
    },
  };
}
