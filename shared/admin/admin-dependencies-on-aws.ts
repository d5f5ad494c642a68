/** Puts the administration together on a gateway's real tables and queues, for the admin API and the command line. */
import { randomBytes, randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { dynamoActivityReader } from '../activity/activity-reader.dynamo.ts';
import { dynamoOutbox } from '../carrier/simulator/outbox.dynamo.ts';
import { dynamoApiKeyStore } from '../client/api-key-store.dynamo.ts';
import { dynamoClientStore } from '../client/client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from '../client/webhook-secret-store.dynamo.ts';
import { dynamoDueItemIndex } from '../due-items/due-item-index.dynamo.ts';
import { dynamoMessageStore } from '../message/store/message-store.dynamo.ts';
import { dynamo, sqs } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import { dynamoOverrideEditor, dynamoOverrideStore } from '../rate-limit/overrides.dynamo.ts';
import { dynamoUsageReader } from '../usage/usage.dynamo.ts';
import { enqueue } from '../webhook/plan/plan-deliveries.ts';
import { sqsDeliveryQueue } from '../webhook/schedule/delivery-queue.sqs.ts';
import { dynamoDeliveryReader } from '../webhook/store/delivery-reader.dynamo.ts';
import { dynamoDeliveryStore } from '../webhook/store/delivery-store.dynamo.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { dynamoMessageSearch } from './message-search.dynamo.ts';

/** Physical names and URLs. */
interface GatewayResources {
  readonly tables: {
    readonly due_items: string;
    readonly clients: string;
    readonly clientSecrets: string;
    readonly apiKeys: string;
    readonly limitOverrides: string;
    readonly activityLog: string;
    readonly messages: string;
    readonly webhookDeliveries: string;
    readonly usage: string;
    readonly simulatorOutbox: string | undefined;
  };
  readonly webhooksQueueUrl: string;
  readonly slowWebhooksQueueUrl: string;
  readonly retentionDays: number;
  /** What this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}

export function adminDependencies(resources: GatewayResources): AdminDependencies {
  const { tables, retentionDays, webhookUrl } = resources;
  const db = dynamo();
  const messages = dynamoMessageStore(db, { tableName: tables.messages, retentionDays });
  const queue = sqsDeliveryQueue(sqs(), {
    fast: resources.webhooksQueueUrl,
    slow: resources.slowWebhooksQueueUrl,
  });
  return {
    clients: {
      clients: dynamoClientStore(db, tables.clients),
      apiKeys: dynamoApiKeyStore(db, tables.apiKeys),
      webhookSecrets: dynamoWebhookSecretStore(db, tables.clientSecrets),
      random: randomBytes,
    },
    overrides: {
      ...dynamoOverrideStore(db, tables.limitOverrides),
      ...dynamoOverrideEditor(db, tables.limitOverrides),
    },
    activity: {
      ...dynamoActivityLog(db, tables.activityLog, retentionDays),
      ...dynamoActivityReader(db, tables.activityLog),
    },
    deliveries: {
      ...dynamoDeliveryStore(db, tables.webhookDeliveries),
      ...dynamoDeliveryReader(db, tables.webhookDeliveries),
    },
    resend: {
      // What a person sends again is due at once: no schedule is ever needed.
      retryScheduler: {
        schedule: (delivery) =>
          enqueue(queue, [{ delivery, message: { delivery_id: delivery.delivery_id } }]),
      },
      dueItemIndex: dynamoDueItemIndex(db, tables.due_items),
      newRevision: randomUUID,
    },
    messages: { get: messages.get, ...dynamoMessageSearch(db, tables.messages, messages) },
    usage: dynamoUsageReader(db, tables.usage),
    outbox:
      tables.simulatorOutbox === undefined
        ? undefined
        : dynamoOutbox(db, tables.simulatorOutbox, retentionDays),
    webhookUrl,
    retentionDays,
    clock: systemClock,
  };
}
