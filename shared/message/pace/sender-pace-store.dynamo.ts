/** The table `sender-pace`. A row that nothing is reserved in any more is deleted by its TTL, a day later. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { tryConditionalWrite } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { SenderPaceStore, SenderRow } from './sender-pace-store.ts';
import { endOf, noSlots, senderSlots } from './sender-slots.ts';

const storedRow = z.object({ revision: z.int(), slots: senderSlots });

export function dynamoSenderPaceStore(client: DynamoDBDocumentClient, TableName: string): SenderPaceStore {
  return {
    async read(identity) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { sender: identity }, ConsistentRead: true }),
      );
      return rowOf(Item);
    },

    async replace(identity, seen, slots) {
      const { applied } = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName,
            Item: {
              sender: identity,
              revision: seen.revision + 1,
              slots,
              purge_at: epochSeconds(addDays(new Date(endOf(slots)), 1)),
            },
            ConditionExpression: seen.revision === 0 ? 'attribute_not_exists(sender)' : 'revision = :seen',
            ...(seen.revision === 0 ? {} : { ExpressionAttributeValues: { ':seen': seen.revision } }),
          }),
        ),
      );
      return applied;
    },
  };
}

function rowOf(item: unknown): SenderRow {
  return item === undefined ? { slots: noSlots, revision: 0 } : storedRow.parse(item);
}
