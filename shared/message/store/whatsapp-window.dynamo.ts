/** A row for each client and recipient. DynamoDB deletes it after its window. */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../platform/clock.ts';

/**
 * The time at which a recipient last wrote to a client by WhatsApp. For some hours after it the client may send any
 * message; outside of this window WhatsApp accepts only templates (contract 13.5).
 */
export type WhatsAppWindows = ReturnType<typeof dynamoWhatsAppWindows>;

/** Meta's rule. */
export const windowHours = 24;

/** Returns the end of the window; undefined if it is closed. */
export function windowEnd(openedAt: Date | undefined, now: Date): Date | undefined {
  if (openedAt === undefined) return undefined;
  const end = addSeconds(openedAt, windowHours * 3600);
  return end > now ? end : undefined;
}

const windowRow = z.object({ received_at: z.iso.datetime() });

/** Long after the window has closed. */
const keptDays = 2;

export function dynamoWhatsAppWindows(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Does nothing if the recipient has written later than `at`. */
    async open(client_id: string, recipient: string, at: Date): Promise<void> {
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
    /** Returns when the recipient last wrote, if that is less than about 24 hours ago; eventually consistent. */
    async openedAt(client_id: string, recipient: string): Promise<Date | undefined> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: { client_id, recipient } }));
      const row = windowRow.safeParse(Item);
      // An invalid row is of no window: the message is sent with its template, which WhatsApp always takes.
      return row.success ? new Date(row.data.received_at) : undefined;
    },
  };
}
