/**
 * The time of a recipient's last WhatsApp message to a client. For some hours after that, the client may send any message.
 * Otherwise WhatsApp accepts only templates (contract 13.5). Each client and recipient has one row, which DynamoDB deletes
 * after the window.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Message } from '../message.ts';

/** Meta's rule. */
export const windowHours = 24;

/** Returns the end of the WhatsApp window; undefined if the window is closed. */
export function windowEnd(openedAt: Date | undefined, now: Date): Date | undefined {
  if (openedAt === undefined) return undefined;
  const end = addSeconds(openedAt, windowHours * 3600);
  return end > now ? end : undefined;
}

const windowRow = z.object({ received_at: z.iso.datetime() });

/** How many days a row is kept, which is much longer than the window. */
const keptDays = 2;

/** Stores the time, unless the recipient has written later than `at`. */
export async function openWindow(
  { db, env }: Context<'WHATSAPP_WINDOWS_TABLE'>,
  client_id: string,
  recipient: string,
  at: Date,
): Promise<void> {
  await conditionalPut(db, {
    TableName: env.WHATSAPP_WINDOWS_TABLE,
    Item: {
      client_id,
      recipient,
      received_at: at.toISOString(),
      purge_at: epochSeconds(addDays(at, keptDays)),
    },
    ConditionExpression: 'attribute_not_exists(received_at) OR received_at < :at',
    ExpressionAttributeValues: { ':at': at.toISOString() },
  });
}

/** Returns when the recipient last wrote, if that is less than about 24 hours ago, with an eventually consistent read. */
export async function windowOpenedAt(
  { db, env }: Context<'WHATSAPP_WINDOWS_TABLE'>,
  client_id: string,
  recipient: string,
): Promise<Date | undefined> {
  const TableName = env.WHATSAPP_WINDOWS_TABLE;
  const { Item } = await db.send(new GetCommand({ TableName, Key: { client_id, recipient } }));
  const row = windowRow.safeParse(Item);
  // A malformed row counts as a closed window: the template is sent, which WhatsApp always accepts.
  return row.success ? new Date(row.data.received_at) : undefined;
}

/** Returns the message with its fallback template as content, if WhatsApp would refuse the original content. */
export async function withFallbackTemplate(
  ctx: Context<'WHATSAPP_WINDOWS_TABLE'>,
  message: Message,
): Promise<Message> {
  const { fallback_template: template, text: _text, ...rest } = message;
  if (template === undefined) return message;
  const openedAt = await windowOpenedAt(ctx, message.client_id, message.recipient);
  return windowEnd(openedAt, ctx.clock()) === undefined
    ? { ...rest, whatsapp: { type: 'template', template } }
    : message;
}
