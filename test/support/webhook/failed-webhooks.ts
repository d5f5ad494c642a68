/** Failed webhooks: the rows of their deliveries, and their entries in the Activity Log. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Activity } from '../../../shared/activity/write-activity.dynamo.ts';
import { addDays, dayOf, epochSeconds } from '../../../shared/platform/clock.ts';
import { derivedIdAt, newId } from '../../../shared/platform/ids.ts';
import { type Delivery, deliveryIdOf } from '../../../shared/webhook/delivery.ts';
import { deliveryKeysOf } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { writeRows } from '../engine/write-rows.ts';
import { gateway } from '../gateway/gateway.ts';

interface FailedWebhook {
  readonly clientId: string;
  readonly messageId: string;
  readonly event: string;
  readonly url: string;
  readonly at: Date;
}

function rowsOf({ clientId: client_id, messageId: message_id, event, url, at }: FailedWebhook) {
  const delivery_id = deliveryIdOf({ messageId: message_id, event });
  const time = at.toISOString();
  const purge_at = epochSeconds(addDays(at, 2));
  const delivery: Delivery = {
    ...{ delivery_id, client_id, message_id, event, url },
    body: JSON.stringify({ event, timestamp: time, data: { message_id } }),
    ...{ state: 'failed', attempt_number: 6, attempt_trigger: 'automatic' },
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

export async function storeFailedWebhooks(
  dynamo: DynamoDBDocumentClient,
  tables: Readonly<Record<string, string>>,
  failed: readonly FailedWebhook[],
): Promise<readonly Delivery[]> {
  const rows = failed.map(rowsOf);
  const deliveries = rows.map(({ delivery }) => delivery);
  const entries = rows.map(({ entry }) => entry);
  await writeRows(
    dynamo,
    tables.webhook_deliveries,
    deliveries.map((delivery) => ({ ...delivery, ...deliveryKeysOf(delivery) })),
  );
  await writeRows(dynamo, tables.activity_log, entries);
  return deliveries;
}

/** So many of the gateway under test that failed just now, each of its own message. @returns their ids */
export async function storeFailedDeliveries(
  dynamo: DynamoDBDocumentClient,
  { clientId, url, count }: { readonly clientId: string; readonly url: string; readonly count: number },
): Promise<string[]> {
  const at = new Date();
  const failed = Array.from({ length: count }, () => {
    const messageId = newId('msg', at);
    return { clientId, messageId, event: 'sms.delivered', url, at };
  });
  const deliveries = await storeFailedWebhooks(dynamo, gateway().tables, failed);
  return deliveries.map(({ delivery_id }) => delivery_id);
}
