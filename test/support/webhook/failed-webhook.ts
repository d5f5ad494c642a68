/** A webhook that has failed for good: the row of its delivery, and its entry in the Activity Log. */
import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import { addDays, dayOf, epochSeconds } from '../../../shared/platform/clock.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { type Delivery, deliveryIdOf } from '../../../shared/webhook/delivery.ts';

interface FailedWebhook {
  readonly clientId: string;
  readonly messageId: string;
  readonly event: string;
  readonly url: string;
  readonly at: Date;
}

export function failedWebhook({ clientId: client_id, messageId: message_id, event, url, at }: FailedWebhook) {
  const delivery_id = deliveryIdOf({ messageId: message_id, event });
  const time = at.toISOString();
  const purge_at = epochSeconds(addDays(at, 2));
  const delivery: Delivery = {
    ...{ delivery_id, client_id, message_id, event, url },
    body: JSON.stringify({ event, timestamp: time, data: { message_id } }),
    ...{ state: 'failed', lane: 'fast', attempt_number: 6, attempt_trigger: 'automatic' },
    ...{ attempt_due_at: time, attempts: [], interruptions: 0 },
    ...{ created_at: time, finished_at: time, purge_at, revision: randomUUID() },
  };
  const entry: Activity & { readonly day: string; readonly purge_at: number } = {
    entry_id: derivedIdAt('act', at, delivery_id),
    ...{ kind: 'webhook_failed', at: time, client_id, message_id, delivery_id },
    summary: `${event} was not acknowledged after 6 attempts`,
    ...{ day: dayOf(at), purge_at },
  };
  return { delivery, entry };
}

/** Writes both; returns the delivery. */
export async function putFailedWebhook(
  client: DynamoDBDocumentClient,
  tables: Readonly<Record<string, string>>,
  failed: FailedWebhook,
): Promise<Delivery> {
  const { delivery, entry } = failedWebhook(failed);
  await client.send(new PutCommand({ TableName: tables.webhook_deliveries, Item: delivery }));
  await client.send(new PutCommand({ TableName: tables.activity_log, Item: entry }));
  return delivery;
}
