/** Deliveries that have failed for good, with their entries in the Activity Log, as rows of the deployed tables. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { derivedIdAt, newId } from '../../../shared/platform/ids.ts';
import { chunksOf } from '../../../shared/platform/long-lists.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';
import { dynamoDeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { gateway } from '../gateway/gateway.ts';

function failedDelivery(clientId: string, url: string): Delivery & { readonly finished_at: string } {
  const now = new Date();
  const messageId = newId('msg', now);
  return {
    delivery_id: newId('whd', now),
    client_id: clientId,
    message_id: messageId,
    event: 'sms.delivered',
    url,
    body: JSON.stringify({ event: 'sms.delivered', data: { message_id: messageId } }),
    state: 'failed',
    lane: 'fast',
    attempt_number: 6,
    attempt_trigger: 'automatic',
    attempt_due_at: now.toISOString(),
    attempts: [],
    interruptions: 0,
    created_at: addSeconds(now, -60).toISOString(),
    finished_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, 1)),
    revision: randomUUID(),
  };
}

/** @returns their ids */
export async function storeFailedDeliveries(
  dynamo: DynamoDBDocumentClient,
  { clientId, url, count }: { readonly clientId: string; readonly url: string; readonly count: number },
): Promise<string[]> {
  const { tables } = gateway();
  const deliveries = dynamoDeliveryStore(dynamo, tables.webhook_deliveries ?? '');
  const activity = dynamoActivityLog(dynamo, tables.activity_log ?? '', 1);
  const failed = Array.from({ length: count }, () => failedDelivery(clientId, url));
  for (const some of chunksOf(failed, 20)) {
    await Promise.all(
      some.map(async (delivery) => {
        const { client_id, message_id = '', delivery_id, finished_at: at } = delivery;
        await deliveries.create(delivery);
        await activity.add({
          entry_id: derivedIdAt('act', new Date(at), delivery_id),
          kind: 'webhook_failed',
          at,
          summary: 'sms.delivered was not acknowledged after 6 attempts',
          ...{ client_id, message_id, delivery_id },
        });
      }),
    );
  }
  return failed.map(({ delivery_id }) => delivery_id);
}
