/** A row for each client and person, deleted by DynamoDB after its window. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionHolds } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { WhatsAppWindows } from './whatsapp-window.ts';

const windowRow = z.object({ received_at: z.iso.datetime() });

/** Long after the window has closed. */
const keptDays = 2;

export function dynamoWhatsAppWindows(client: DynamoDBDocumentClient, TableName: string): WhatsAppWindows {
  return {
    async open(client_id, recipient, at) {
      await conditionHolds(
        client.send(
          new PutCommand({
            TableName,
            Item: {
              client_id,
              recipient,
              received_at: at.toISOString(),
              purge_at: epochSeconds(addDays(at, keptDays)),
            },
            ConditionExpression: 'attribute_not_exists(received_at) OR received_at < :at',
            ExpressionAttributeValues: { ':at': at.toISOString() },
          }),
        ),
      );
    },
    async openedAt(client_id, recipient) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { client_id, recipient }, ConsistentRead: false }),
      );
      return Item === undefined ? undefined : new Date(windowRow.parse(Item).received_at);
    },
  };
}
