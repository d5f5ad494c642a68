/** A row for each client and person, deleted by DynamoDB after its window. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { WhatsAppWindows } from './whatsapp-window.ts';

const windowRow = z.object({ received_at: z.iso.datetime() });

/** Long after the window has closed. */
const keptDays = 2;

export function dynamoWhatsAppWindows(client: DynamoDBDocumentClient, TableName: string): WhatsAppWindows {
  return {
    async open(client_id, recipient, at) {
      await conditionalPut(client, {
        TableName,
        Item: {
          client_id,
          recipient,
          received_at: at.toISOString(),
          purge_at: epochSeconds(addDays(at, keptDays)),
        },
        ConditionExpression: 'attribute_not_exists(received_at) OR received_at < :at',
        ExpressionAttributeValues: { ':at': at.toISOString() },
      });
    },
    async openedAt(client_id, recipient) {
      const row = await readRow(client, windowRow, { TableName, Key: { client_id, recipient } });
      return row && new Date(row.received_at);
    },
  };
}
