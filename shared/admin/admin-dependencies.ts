/** The dependencies of the admin API and the command line, on a gateway's tables and queues. */

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import {
  type ActivityReader,
  dynamoActivityLog,
  dynamoActivityReader,
} from '../activity/activity-log.dynamo.ts';
import type { ActivityLog } from '../activity/activity-log.ts';
import type { CarrierModule } from '../carrier/carrier-module.ts';
import {
  type CheckCredentials,
  carrierSecrets,
  credentialChecks,
} from '../carrier/carrier-secrets.secrets.ts';
import { dynamoOutbox, type Outbox } from '../carrier/simulator/outbox.dynamo.ts';
import { type ReceiptSender, sqsReceiptSender } from '../carrier/simulator/simulated-recipients.ts';
import type { ClientAdminDependencies } from '../client/client-admin.ts';
import { accountUrls, dynamoApiKeyStore, dynamoClientStore } from '../client/client-store.dynamo.ts';
import { stageCountriesOf } from '../client/sending-permissions.ts';
import { dynamoWebhookSecretStore } from '../client/webhook-secrets.dynamo.ts';
import { type StageCarriers, stageCarriersOf } from '../contract/channels.ts';
import type { administration } from '../contract/function-uses.ts';
import type { Caps } from '../contract/limits.ts';
import type { Mode } from '../contract/mode.ts';
import { dynamoEditedRows, type EditedRows } from '../edited-table/row-editor.dynamo.ts';
import { dynamoRefusalReader, type RefusalReader } from '../http/refusals.dynamo.ts';
import { type CapCounter, dynamoCapCounter } from '../limit/cap-counter.dynamo.ts';
import { capDefaults } from '../limit/cap-limits.ts';
import { overrideTable } from '../limit/override-row.ts';
import { dynamoRateUse, type RateUse } from '../limit/rate-counter.dynamo.ts';
import { type BatchStore, dynamoBatchStore } from '../message/send/batch-store.dynamo.ts';
import { dynamoMessageList } from '../message/store/message-list.dynamo.ts';
import { dynamoMessageStore } from '../message/store/message-store.dynamo.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import { dynamoWhatsAppWindows, type WhatsAppWindows } from '../message/store/whatsapp-window.dynamo.ts';
import {
  dynamoSuppressionStore,
  type SuppressionStore,
} from '../message/suppression/suppression-store.dynamo.ts';
import { dynamoOtpHolds, type OtpHoldStore } from '../otp/otp-holds.dynamo.ts';
import { dynamoOtpStore, type OtpStore } from '../otp/otp-store.dynamo.ts';
import { dynamo, secretsManager, sqs } from '../platform/aws/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import {
  type DueItemReader,
  dynamoDueItemIndex,
  dynamoDueItemReader,
} from '../recovery/due-item-index.dynamo.ts';
import { senderTable } from '../sender/sender-row.ts';
import { dynamoUsageReader, type UsageReader } from '../usage/usage-counter.dynamo.ts';
import { type AttemptReader, dynamoAttemptReader } from '../usage/webhook-attempts.dynamo.ts';
import { webhookUrlFrom } from '../webhook/address-guard.ts';
import { reportFailedDelivery } from '../webhook/deliver/alert-failure.ts';
import { sqsDeliveryQueue } from '../webhook/delivery-queue.sqs.ts';
import {
  type DeliveryStore,
  dynamoDeliveryStore,
  dynamoResendStore,
} from '../webhook/delivery-store.dynamo.ts';
import { dynamoEndpointReader, type EndpointReader } from '../webhook/endpoint-store.dynamo.ts';
import type { WebhookLogDependencies } from '../webhook/log/find-deliveries.ts';
import {
  dynamoMessageSearch,
  dynamoNewestMessages,
  type MessageSearch,
  type NewestMessages,
} from './message-search.dynamo.ts';

export interface AdminDependencies extends ClientAdminDependencies {
  /** Whose data lists of all clients have. */
  readonly mode: Mode;
  readonly overrides: EditedRows;
  readonly senders: EditedRows;
  readonly rateUse: RateUse;
  readonly refusals: RefusalReader;
  readonly capDefaults: Caps;
  readonly capCounter: Pick<CapCounter, 'read'>;
  readonly activityLog: ActivityLog;
  readonly activity: ActivityReader;
  readonly endpoints: EndpointReader;
  /** The log of a client's webhooks, resending them, and test events. */
  readonly webhookLog: WebhookLogDependencies;
  readonly deliveries: DeliveryStore;
  /** Webhooks and messages that are not finished. */
  readonly dueItems: DueItemReader;
  readonly messages: Pick<MessageStore, 'get' | 'getMany' | 'transition' | 'findByCarrierId'> & MessageSearch;
  readonly newestMessages: NewestMessages;
  readonly batches: Pick<BatchStore, 'get'>;
  readonly otps: Pick<OtpStore, 'get'>;
  readonly otpHolds: Pick<OtpHoldStore, 'find' | 'ofClient' | 'listHeld' | 'allow'>;
  /** The country of numbers that people write without a country code, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The countries that clients without a list of their own may send to; undefined for all. */
  readonly stageCountries: readonly string[] | undefined;
  readonly usage: UsageReader;
  /** The currency of the stage's prices, ISO 4217. */
  readonly currency: string;
  readonly webhookAttempts: AttemptReader;
  /** Whether the simulator carries live messages, too; it carries all test messages. */
  readonly isSimulated: boolean;
  /** The carriers of the stage, in order of preference. */
  readonly carriers: StageCarriers;
  readonly checkCredentials: CheckCredentials;
  /** What the simulator was given. */
  readonly outbox: Outbox;
  /** Sends the notifications of simulated people to the receipts queue. */
  readonly simulatedInbound: ReceiptSender;
  readonly suppressions: SuppressionStore;
  readonly windows: Pick<WhatsAppWindows, 'openedAt'>;
  readonly webhookUrl: z.ZodMiniType<string>;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly newUuid: () => string;
}

export function adminDependencies(
  env: EnvironmentFor<typeof administration>,
  loadCarriers: () => Promise<readonly CarrierModule[]>,
): AdminDependencies {
  const db = dynamo();
  const carriers = stageCarriersOf(env);
  const secrets = { arns: env.CARRIER_SECRETS, baseUrls: env.CARRIER_BASE_URLS };
  const retentionDays = env.RETENTION_DAYS;
  const messages = dynamoMessageStore(db, { tableName: env.MESSAGES_TABLE, retentionDays });
  const queue = sqsDeliveryQueue(sqs(), { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL });
  const clients = dynamoClientStore(db, env.CLIENTS_TABLE);
  const activityLog = dynamoActivityLog(db, env.ACTIVITY_LOG_TABLE, retentionDays);
  const activity = dynamoActivityReader(db, env.ACTIVITY_LOG_TABLE);
  const endpoints = dynamoEndpointReader(db, env.WEBHOOK_ENDPOINTS_TABLE);
  const deliveries = dynamoDeliveryStore(db, env.WEBHOOK_DELIVERIES_TABLE);
  const dueItemIndex = dynamoDueItemIndex(db, env.DUE_ITEMS_TABLE);
  return {
    mode: 'live',
    clients,
    apiKeys: dynamoApiKeyStore(db, env.API_KEYS_TABLE),
    webhookSecrets: dynamoWebhookSecretStore(db, env.CLIENT_SECRETS_TABLE),
    random: randomBytes,
    overrides: dynamoEditedRows(db, env.LIMIT_OVERRIDES_TABLE, overrideTable),
    senders: dynamoEditedRows(db, env.SENDERS_TABLE, senderTable),
    rateUse: dynamoRateUse(db, env.RATE_COUNTERS_TABLE),
    refusals: dynamoRefusalReader(db, env.RATE_COUNTERS_TABLE),
    capDefaults: capDefaults(env.STAGE_CAPS),
    capCounter: dynamoCapCounter(db, env.RATE_COUNTERS_TABLE),
    activityLog,
    activity,
    endpoints,
    deliveries,
    dueItems: dynamoDueItemReader(db, env.DUE_ITEMS_TABLE),
    webhookLog: {
      activity,
      activityLog,
      endpoints,
      deliveries,
      dueItemIndex,
      messages,
      queue,
      retentionDays,
      resends: dynamoResendStore(db, env.WEBHOOK_DELIVERIES_TABLE),
      list: dynamoMessageList(db, env.MESSAGES_TABLE),
      accountUrlOf: accountUrls(clients),
      clock: systemClock,
      newRevision: randomUUID,
      reportFailedDelivery,
      sleep,
    },
    messages: { ...messages, ...dynamoMessageSearch(db, env.MESSAGES_TABLE, messages) },
    newestMessages: dynamoNewestMessages(db, env.MESSAGES_TABLE),
    batches: dynamoBatchStore(db, { tableName: env.BATCHES_TABLE, retentionDays }),
    otps: dynamoOtpStore(db, env.ONE_TIME_PASSWORDS_TABLE),
    otpHolds: dynamoOtpHolds(db, env.OTP_HOLDS_TABLE),
    country: env.COUNTRY,
    stageCountries: stageCountriesOf(env),
    usage: dynamoUsageReader(db, env.MESSAGE_USAGE_TABLE),
    currency: env.CURRENCY,
    webhookAttempts: dynamoAttemptReader(db, env.USAGE_TABLE),
    carriers,
    checkCredentials: credentialChecks(loadCarriers, carrierSecrets(secretsManager(), secrets, systemClock)),
    isSimulated: [...carriers.sms, ...carriers.whatsapp].includes('simulator'),
    outbox: dynamoOutbox(db, env.SIMULATOR_OUTBOX_TABLE, retentionDays),
    simulatedInbound: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
    suppressions: dynamoSuppressionStore(db, env.SUPPRESSIONS_TABLE, systemClock),
    windows: dynamoWhatsAppWindows(db, env.WHATSAPP_WINDOWS_TABLE),
    webhookUrl: webhookUrlFrom(env),
    retentionDays,
    clock: systemClock,
    newUuid: randomUUID,
  };
}
