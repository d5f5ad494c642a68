/** The four functions of a message's way as `functions/` wires them, but for their clients and their clock. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { accountUrls } from '../../../shared/account/account-url.ts';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import { parseReceipts } from '../../../shared/carrier/parse-receipts.ts';
import { dynamoOutbox } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from '../../../shared/carrier/simulator/receipt-sender.sqs.ts';
import { simulator } from '../../../shared/carrier/simulator/simulator.ts';
import { dynamoClientStore } from '../../../shared/client/client-store.dynamo.ts';
import { dynamoWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { cachedSecrets } from '../../../shared/client/webhook-secrets.ts';
import { dynamoDueItemIndex } from '../../../shared/due-items/due-item-index.dynamo.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { recordReceipt } from '../../../shared/message/receipts/record-receipt.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { changeVisibilityOn } from '../../../shared/platform/aws/change-visibility.sqs.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { ack, processBatch, processRecords } from '../../../shared/platform/process-queue-batch.ts';
import { relay } from '../../../shared/relay/relay.ts';
import { readChanges, type StreamRecord } from '../../../shared/relay/stream.dynamo.ts';
import { deliver } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import { dynamoEndpointHealthStore } from '../../../shared/webhook/endpoint-health/endpoint-health.dynamo.ts';
import { endpointHealth } from '../../../shared/webhook/endpoint-health/endpoint-health.ts';
import { sqsDeliveryQueue } from '../../../shared/webhook/schedule/delivery-queue.sqs.ts';
import {
  deliveryMessageSchema,
  makeRetryScheduler,
} from '../../../shared/webhook/schedule/retry-scheduler.ts';
import { dynamoDeliveryStore } from '../../../shared/webhook/store/delivery-store.dynamo.ts';
import { neverSetAside } from '../doubles/never-set-aside.ts';
import type { TestTables } from '../engine/tables.ts';
import type { Process } from '../faults/crash-simulation.ts';
import type { WebhookEndpoint } from '../webhook/webhook-endpoint.ts';

export const queueNames = ['outbound', 'receipts', 'webhooks'] as const;
export type QueueName = (typeof queueNames)[number];

export const retentionDays = 1;

export interface Ground {
  readonly tables: TestTables;
  readonly queues: Readonly<Record<QueueName, string>>;
  readonly webhookEndpoint: WebhookEndpoint;
  readonly clientId: string;
  close(): Promise<void>;
}

/** Each made once for a process, then called with event after event. */
type CrashableFunctions = Readonly<
  Record<'relay' | QueueName, (process: Process) => (event: SQSEvent) => Promise<unknown>>
>;

/** @param stream - the records that the relay gets: all that are in it at the moment */
export function crashableFunctions(
  { tables: { names }, queues }: Ground,
  clock: Clock,
  stream: readonly StreamRecord[],
): CrashableFunctions {
  const messagesOf = (dynamo: DynamoDBDocumentClient) =>
    dynamoMessageStore(dynamo, { tableName: names.messages, retentionDays });
  return {
    relay: (process) => async () =>
      relay(
        {
          outbound: sqsOutboundQueue(process.sqs, queues.outbound),
          outboundScheduler: { schedule: unused },
          scheduleLeadSeconds: 12,
          setAside: neverSetAside,
          accountUrlOf: accountUrls(dynamoClientStore(process.dynamo, names.clients)),
          webhooks: {
            dueItemIndex: dynamoDueItemIndex(process.dynamo, names.due_items),
            queue: sqsDeliveryQueue(process.sqs, { fast: queues.webhooks, slow: queues.webhooks }),
            health: endpointHealth(dynamoEndpointHealthStore(process.dynamo, names.webhook_deliveries)),
            warn: () => undefined,
            clock,
            newRevision: randomUUID,
            retentionDays,
          },
          clock,
        },
        readChanges([...stream]).changes,
      ),
    outbound: (process) => {
      const carrier = simulator({
        outbox: dynamoOutbox(process.dynamo, names.simulator_outbox, retentionDays),
        sendReceipts: sqsReceiptSender(process.sqs, queues.receipts),
        prices: { currency: 'USD', sms: { default: 0.0042 }, whatsapp: { default: 0.005 } },
        clock,
        newCarrierMessageId: randomUUID,
      });
      const dependencies = {
        messages: messagesOf(process.dynamo),
        carrierFor: () => carrier,
        bodyOf: async () => ({ text: 'Hello' }),
        isDisabled: async () => false,
        outbound: sqsOutboundQueue(process.sqs, queues.outbound),
        clock,
        newClaimId: randomUUID,
        sleep: async () => {},
      };
      return (event) =>
        processBatch(
          event,
          z.object({ message_id: z.string() }),
          async ({ message_id }) => ({
            retryAfterSeconds: (await dispatch(dependencies, message_id)).retryAfterSeconds,
          }),
          changeVisibilityOn(process.sqs, queues.outbound),
        );
    },
    receipts: (process) => (event) =>
      processRecords(event, async ({ body }) => {
        for (const receipt of parseReceipts(body)) await recordReceipt(messagesOf(process.dynamo), receipt);
        return ack;
      }),
    webhooks: (process) => {
      const queue = sqsDeliveryQueue(process.sqs, { fast: queues.webhooks, slow: queues.webhooks });
      const dependencies = {
        deliveries: dynamoDeliveryStore(process.dynamo, names.webhook_deliveries),
        activityLog: dynamoActivityLog(process.dynamo, names.activity_log, retentionDays),
        secrets: cachedSecrets(dynamoWebhookSecrets(process.dynamo, names.client_secrets), clock),
        health: endpointHealth(dynamoEndpointHealthStore(process.dynamo, names.webhook_deliveries)),
        post: process.post,
        queue,
        retryScheduler: makeRetryScheduler(queue, { schedule: unused }, 12),
        clock,
        sleep: async (ms: number) => void (await sleep(ms, undefined, { ref: false })),
        newRevision: randomUUID,
        reportFailedDelivery: () => undefined,
        warn: () => undefined,
      };
      const settings = { lane: 'fast', timeScale: 1, userAgent: 'test' } as const;
      return (event) =>
        processBatch(event, deliveryMessageSchema, async (message) => {
          await deliver(dependencies, settings, message);
          return ack;
        });
    },
  };
}

async function unused(): Promise<never> {
  throw new Error('nothing of this walk is far enough ahead for a schedule');
}
