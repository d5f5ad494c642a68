/** The table `sender-pace`. A row that nothing is reserved in any more is deleted by its TTL, a day later. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { SenderPaceStore } from './reserve-slots.ts';
import { endOf, noSlots, senderSlots } from './sender-pace.ts';

const storedRow = z.object({ revision: z.int(), slots: senderSlots });

export function dynamoSenderPaceStore(client: DynamoDBDocumentClient, TableName: string): SenderPaceStore {
  return {
    async read(identity) {
      const sender = keyOf(identity);
      const row = await readRow(client, storedRow, { TableName, Key: { sender }, ConsistentRead: true });
      return row ?? { slots: noSlots, revision: 0 };
    },

    async replace(identity, seen, slots) {
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: {
          sender: keyOf(identity),
          revision: seen.revision + 1,
          slots,
          purge_at: epochSeconds(addDays(new Date(endOf(slots)), 1)),
        },
        ConditionExpression: seen.revision === 0 ? 'attribute_not_exists(sender)' : 'revision = :seen',
        ...(seen.revision === 0 ? {} : { ExpressionAttributeValues: { ':seen': seen.revision } }),
      });
      return applied;
    },
  };
}

/** Names are one sender whatever their case, with one pace. */
function keyOf(identity: string): string {
  return identity.toLowerCase();
}
