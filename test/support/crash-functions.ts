/** The four functions of a message's way as `functions/` wires them, but for their clients and their clock. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { accountUrls } from '../../shared/account/account-url.ts';
import { dynamoActivityLog } from '../../shared/activity/activity-log.dynamo.ts';
import { dynamoAgenda } from '../../shared/agenda/agenda.dynamo.ts';
import { done, processBatch, processRecords } from '../../shared/batch.ts';
import { dynamoOutbox } from '../../shared/carrier/outbox.dynamo.ts';
import { sqsReceiptSender } from '../../shared/carrier/receipts.sqs.ts';
import { parseReceipts } from '../../shared/carrier/receipts.ts';
import { simulator } from '../../shared/carrier/simulator.ts';
import { dynamoClientStore } from '../../shared/client/client-store.dynamo.ts';
import { dynamoWebhookSecrets } from '../../shared/client/webhook-secrets.dynamo.ts';
import { cachedSecrets } from '../../shared/client/webhook-secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { dispatch } from '../../shared/message/dispatch.ts';
import { dynamoMessageStore } from '../../shared/message/message-store.dynamo.ts';
import { sqsOutboundQueue } from '../../shared/message/outbound-queue.sqs.ts';
import { recordReceipt } from '../../shared/message/record-receipts.ts';
import { postponeOn } from '../../shared/postpone.sqs.ts';
import { relay } from '../../shared/relay/relay.ts';
import { readChanges, type StreamRecord } from '../../shared/relay/stream.dynamo.ts';
import { deliver } from '../../shared/webhook/deliver.ts';
import { dynamoDeliveryStore } from '../../shared/webhook/delivery-store.dynamo.ts';
import { dynamoReceiverStore } from '../../shared/webhook/receiver-health.dynamo.ts';
import { receiverHealth } from '../../shared/webhook/receiver-health.ts';
import { sqsDeliveryQueue } from '../../shared/webhook/wake.sqs.ts';
import { deliveryMessageSchema, wakeBy } from '../../shared/webhook/wake.ts';
import type { Process } from './crash-world.ts';
import { neverSetAside } from './never-set-aside.ts';
import type { Receiver } from './receiver.ts';
import type { TestTables } from './tables.ts';

export const queueNames = ['outbound', 'receipts', 'webhooks'] as const;
export type QueueName = (typeof queueNames)[number];

export const retentionDays = 1;

export interface Ground {
  readonly tables: TestTables;
  readonly queues: Readonly<Record<QueueName, string>>;
  readonly receiver: Receiver;
  readonly clientId: string;
  close(): Promise<void>;
}

/** Each made once for a process, then called with event after event. */
type CrashableFunctions = Readonly<
  Record<'relay' | QueueName, (process: Process) => (event: SQSEvent) => Promise<unknown>>
>;

/** @param stream - what the relay is handed: all that stands in it at the moment */
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
            agenda: dynamoAgenda(process.dynamo, names.agenda),
            queue: sqsDeliveryQueue(process.sqs, { fast: queues.webhooks, slow: queues.webhooks }),
            health: receiverHealth(dynamoReceiverStore(process.dynamo, names.webhook_deliveries)),
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
      const deps = {
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
            againAfterSeconds: (await dispatch(deps, message_id)).againAfterSeconds,
          }),
          postponeOn(process.sqs, queues.outbound),
        );
    },
    receipts: (process) => (event) =>
      processRecords(event, async ({ body }) => {
        for (const receipt of parseReceipts(body)) await recordReceipt(messagesOf(process.dynamo), receipt);
        return done;
      }),
    webhooks: (process) => {
      const queue = sqsDeliveryQueue(process.sqs, { fast: queues.webhooks, slow: queues.webhooks });
      const ports = {
        deliveries: dynamoDeliveryStore(process.dynamo, names.webhook_deliveries),
        activityLog: dynamoActivityLog(process.dynamo, names.activity_log, retentionDays),
        secrets: cachedSecrets(dynamoWebhookSecrets(process.dynamo, names.client_secrets), clock),
        health: receiverHealth(dynamoReceiverStore(process.dynamo, names.webhook_deliveries)),
        post: process.post,
        queue,
        wake: wakeBy(queue, { schedule: unused }, 12),
        clock,
        sleep: async (ms: number) => void (await sleep(ms, undefined, { ref: false })),
        newRevision: randomUUID,
        raiseAlarm: () => undefined,
        warn: () => undefined,
      };
      const settings = { lane: 'fast', timeScale: 1, userAgent: 'test' } as const;
      return (event) =>
        processBatch(event, deliveryMessageSchema, async (message) => {
          await deliver(ports, settings, message);
          return done;
        });
    },
  };
}

async function unused(): Promise<never> {
  throw new Error('nothing of this walk is far enough ahead for a schedule');
}
