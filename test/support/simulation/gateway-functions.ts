/**
 * The functions behind the API as `functions/` wires them, on any stores, queues and clock. The adapters and factories
 * between them and the use cases are the gateway's own.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ActivityLog } from '../../../shared/activity/activity-log.ts';
import { carrierReports } from '../../../shared/carrier/carrier-reports.ts';
import { readReport } from '../../../shared/carrier/queued-report.ts';
import { cachedSecrets, type WebhookSecrets } from '../../../shared/client/webhook-secrets.ts';
import type { SendKind } from '../../../shared/contract/channels.ts';
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { queuedMessage, sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { slotReservations } from '../../../shared/message/dispatch/reserve-slots.ts';
import { enqueueScheduled } from '../../../shared/message/dispatch/scheduled-entries.ts';
import type { SenderPaceStore } from '../../../shared/message/dispatch/sender-pace-store.dynamo.ts';
import { receiveMessages } from '../../../shared/message/receive-message.ts';
import type { Contacts } from '../../../shared/message/store/contacts.dynamo.ts';
import type { Conversations } from '../../../shared/message/store/conversations.dynamo.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { WhatsAppWindows } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { optOutAtCarrier } from '../../../shared/message/suppression/suppression.ts';
import type { SuppressionStore } from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import { otpLegs } from '../../../shared/otp/otp-legs.ts';
import type { OtpSecrets } from '../../../shared/otp/otp-secret.secrets.ts';
import type { OtpStore } from '../../../shared/otp/otp-store.dynamo.ts';
import { handOverBodies } from '../../../shared/otp/otp-text.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds, type Clock } from '../../../shared/platform/clock.ts';
import type { HandlerResult } from '../../../shared/platform/process-queue-batch.ts';
import type { DueItemIndex } from '../../../shared/recovery/due-item-index.dynamo.ts';
import { runBudgetMs } from '../../../shared/recovery/process-due-items.ts';
import type { SetAside } from '../../../shared/recovery/set-aside.sqs.ts';
import { type AddMissedDependencies, addMissedMessages } from '../../../shared/relay/add-missed-messages.ts';
import { expireOverdue } from '../../../shared/relay/expire-messages.ts';
import { readChanges, relay } from '../../../shared/relay/relay.ts';
import type { NumberOwners } from '../../../shared/sender/number-owners.ts';
import type { TrialSlots } from '../../../shared/webhook/choose-lane.ts';
import { deliver, type Outcome } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import { reportDisabled } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import { fanOut } from '../../../shared/webhook/deliver/fan-out.ts';
import type { Post } from '../../../shared/webhook/deliver/http-post.ts';
import type { Delivery, Lane } from '../../../shared/webhook/delivery.ts';
import {
  makeRetryScheduler,
  type ScheduleOnce,
  sqsDeliveryQueue,
  webhookQueueMessageSchema,
} from '../../../shared/webhook/delivery-queue.sqs.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import type { EndpointReader, EndpointResults } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { type DeliveryLogQuery, deliveryLog } from '../../../shared/webhook/log/delivery-log.ts';
import type { WebhookLogDependencies } from '../../../shared/webhook/log/find-deliveries.ts';
import { type ResendRequest, requestResend } from '../../../shared/webhook/log/request-resend.ts';
import { continueResends } from '../../../shared/webhook/log/run-resend.ts';
import { sendTestEvent } from '../../../shared/webhook/manage-endpoints.ts';
import { type EndpointHealthStore, endpointHealth } from '../../../shared/webhook/slow-endpoints.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import type { WebhookEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { noLostRecords } from '../doubles/no-lost-records.ts';
import { attemptRules, onlyCarrier } from '../message/example-message.ts';

/** What the functions reach outside of their process. */
interface Resources {
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly dueItemIndex: DueItemIndex;
  readonly endpointHealth: EndpointHealthStore & TrialSlots;
  readonly activityLog: ActivityLog;
  /** These read and write the same entries. */
  readonly activity: WebhookLogDependencies['activity'];
  readonly resends: WebhookLogDependencies['resends'];
  readonly list: WebhookLogDependencies['list'];
  readonly webhookSecrets: WebhookSecrets;
  readonly otpSecrets: OtpSecrets;
  readonly endpoints: EndpointReader & EndpointResults;
  readonly suppressions: SuppressionStore;
  readonly windows: WhatsAppWindows;
  readonly allowanceOf: AllowanceOf;
  readonly otps: OtpStore;
  readonly conversations: Conversations;
  readonly contacts: Contacts;
  readonly numbers: NumberOwners;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly senderPaces: SenderPaceStore;
  readonly sqs: SQSClient;
  readonly queueUrls: Readonly<Record<SendKind | Lane, string>>;
  readonly schedule: (name: string, at: Date, queue: Lane, body: string) => Promise<void>;
  readonly scheduleLeadSeconds: number;
  readonly carrier: Carrier;
  readonly post: Post;
  readonly timeScale: number;
  readonly setAside: SetAside;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly newId: (kind: string) => string;
}

export type GatewayFunctions = ReturnType<typeof gatewayFunctions>;

const retentionDays = 30;

/** Made once for a process; each takes what Lambda would hand it. */
export function gatewayFunctions(resources: Resources) {
  const { messages, deliveries, dueItemIndex, sqs, queueUrls, schedule, scheduleLeadSeconds } = resources;
  const { accountUrlOf, endpoints, setAside, clock, sleep, newId } = resources;
  const outbound = sqsOutboundQueue(sqs, queueUrls);
  const pace = slotReservations({ store: resources.senderPaces, clock, sleep, random: resources.random });
  const warn = () => {};
  const webhooks = {
    dueItemIndex,
    queue: sqsDeliveryQueue(sqs, queueUrls),
    health: endpointHealth(resources.endpointHealth),
    trials: resources.endpointHealth,
    warn,
    clock,
    newRevision: () => newId('revision'),
    retentionDays,
  };
  const run = { dueItemIndex, messages, setAside, clock, budgetMs: runBudgetMs };
  const recordOptOut = optOutAtCarrier(resources.suppressions);
  const secrets = cachedSecrets(resources.webhookSecrets, clock);
  const scheduleOnce: ScheduleOnce = ({ name, at, queue, message }) =>
    schedule(name, at, queue, JSON.stringify(message));
  const retryScheduler = makeRetryScheduler({ ...webhooks, scheduleOnce, scheduleLeadSeconds });

  const { activityLog, activity, resends, list } = resources;
  const resendMany = {
    ...webhooks,
    ...{ deliveries, resends, endpoints, messages, list, activity, activityLog, accountUrlOf, sleep },
    reportFailedDelivery: resources.reportFailedDelivery,
  };

  return {
    pace,

    async relay(records: readonly StreamRecord[]) {
      const { changes } = readChanges(records);
      return relay(
        {
          outbound,
          webhooks,
          accountUrlOf,
          endpointsOf: endpoints.listPlanned,
          setAside,
          warn,
          clock,
        },
        changes,
      );
    },

    async dispatch(body: string): Promise<HandlerResult> {
      const { retryAfterSeconds } = await dispatchQueued(
        {
          messages,
          attemptRules,
          carriersFor: onlyCarrier(resources.carrier),
          bodyOf: handOverBodies(resources.otpSecrets),
          isDisabled: async () => false,
          currentPaceOf: async () => undefined,
          pace,
          suppressions: resources.suppressions,
          recordOptOut,
          contacts: resources.contacts,
          warn: () => {},
          windows: resources.windows,
          allowanceOf: resources.allowanceOf,
          otpLegs: otpLegs({ otps: resources.otps, assertNotHeld: async () => {}, clock }),
          outbound,
          clock,
          newClaimId: () => newId('claim'),
          sleep,
        },
        queuedMessage.parse(JSON.parse(body)),
      );
      return { retryAfterSeconds };
    },

    async recordReceipts(body: string, receives: number): Promise<HandlerResult> {
      const { receipts, inbound } = readReport(carrierReports, body);
      const { contacts } = resources;
      const dependencies = { messages, contacts, recordOptOut, priceOf: () => undefined };
      const recorded = await recordReceipts(dependencies, receipts, receives);
      const received = await receiveMessages({ ...resources, optOutWords: [] }, inbound, receives);
      const [first] = [...recorded.failures, ...received.failures];
      if (first !== undefined) throw first;
      return { retryAfterSeconds: recorded.retryAfterSeconds ?? received.retryAfterSeconds };
    },

    /** Undefined for an event with several destinations, whose deliveries it enqueues. */
    async deliver(lane: Lane, body: string): Promise<Outcome | undefined> {
      const { post, timeScale, reportFailedDelivery } = resources;
      const message = webhookQueueMessageSchema.parse(JSON.parse(body));
      if ('fan_out' in message) {
        await fanOut(webhooks, message.fan_out);
        return undefined;
      }
      return deliver(
        {
          ...webhooks,
          deliveries,
          endpoints,
          activityLog,
          secrets,
          post,
          sendToAws: () => Promise.reject(new Error('no endpoint of a simulation is in AWS')),
          retryScheduler,
          sleep,
          reportFailedDelivery,
        },
        { lane, timeScale },
        message,
      );
    },

    sweep: () => sweep({ ...run, ...webhooks, deliveries, endpoints, activityLog, accountUrlOf }),

    requestResend: (clientId: string, request: ResendRequest) =>
      requestResend(resendMany, clientId, clientId, request),

    sendTestEvent: (clientId: string, endpointId: string) =>
      sendTestEvent(resendMany, { actor: clientId, clientId, endpointId }),

    reportDisabled: (endpoint: WebhookEndpoint) =>
      reportDisabled({ ...webhooks, deliveries, endpoints, activityLog }, endpoint),

    continueResends: () => continueResends({ ...resendMany, budgetMs: runBudgetMs }),

    deliveryLog: (clientId: string, query: DeliveryLogQuery) => deliveryLog(resendMany, clientId, query),

    expire: () => expireOverdue({ ...run, outbound }),

    enqueueScheduled: () => enqueueScheduled({ ...run, outbound }),

    addMissed: (scan: Pick<AddMissedDependencies, 'progress' | 'clientIds' | 'list'>) =>
      addMissedMessages({
        ...run,
        ...scan,
        lostRecords: noLostRecords,
        endsAt: addSeconds(clock(), runBudgetMs / 1000),
      }),
  };
}
