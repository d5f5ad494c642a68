/**
 * The functions behind the API as `functions/` wires them, on any stores, queues and clock: in memory for the simulation,
 * on real tables for `crash-points`. The adapters and factories between them and the use cases are the gateway's own.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ActivityLog } from '../../../shared/activity/activity-log.ts';
import type { AllowanceOf } from '../../../shared/cap/allowance.ts';
import { parseNotification } from '../../../shared/carrier/parse-notification.ts';
import { cachedSecrets, type WebhookSecrets } from '../../../shared/client/webhook-secrets.ts';
import type { SendKind } from '../../../shared/contract/send-kinds.ts';
import type { DueItemIndex } from '../../../shared/due-items/due-item-index.ts';
import { runBudgetMs } from '../../../shared/due-items/process-due-items.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { queuedMessage } from '../../../shared/message/dispatch/outbound-queue.ts';
import {
  type AddMissedDependencies,
  addMissedMessages,
} from '../../../shared/message/expire/add-missed-messages.ts';
import { expireOverdue } from '../../../shared/message/expire/expire-messages.ts';
import { type SenderPaceStore, senderPace } from '../../../shared/message/pace/sender-pace.ts';
import { recordReceipts } from '../../../shared/message/receipts/record-receipts.ts';
import type { Conversations } from '../../../shared/message/receive/find-owner.ts';
import { receiveMessage } from '../../../shared/message/receive/receive-message.ts';
import type { WhatsAppWindows } from '../../../shared/message/receive/whatsapp-window.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { optOutAtCarrier } from '../../../shared/message/suppression/opt-out-at-carrier.ts';
import type { SuppressionStore } from '../../../shared/message/suppression/suppression-store.ts';
import { handOverBodies } from '../../../shared/otp/hand-over-body.ts';
import { otpLegs } from '../../../shared/otp/otp-legs.ts';
import type { OtpSecrets } from '../../../shared/otp/otp-secret.ts';
import type { OtpStore } from '../../../shared/otp/otp-store.ts';
import type { ScheduleOnce } from '../../../shared/platform/aws/one-shot-schedule.scheduler.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds, type Clock } from '../../../shared/platform/clock.ts';
import type { HandlerResult } from '../../../shared/platform/process-queue-batch.ts';
import { relay } from '../../../shared/relay/relay.ts';
import { readChanges } from '../../../shared/relay/stream.dynamo.ts';
import type { OwnerOfNumber } from '../../../shared/sender/number-owners.ts';
import type { SetAside } from '../../../shared/set-aside/set-aside.ts';
import { changeRecords } from '../../../shared/usage/change-records.dynamo.ts';
import { countChanges, type UsageCounter } from '../../../shared/usage/count-changes.ts';
import type { CountedChanges } from '../../../shared/usage/count-once.ts';
import { deliver } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import { reportDisabled } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { Delivery, Lane } from '../../../shared/webhook/delivery.ts';
import {
  type EndpointHealthStore,
  endpointHealth,
} from '../../../shared/webhook/endpoint-health/endpoint-health.ts';
import type { TrialSlots } from '../../../shared/webhook/endpoint-health/trial-requests.ts';
import type { EndpointReader, EndpointResults } from '../../../shared/webhook/endpoints/endpoint-store.ts';
import type { WebhookEndpoint } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';
import { type DeliveryLogQuery, deliveryLog } from '../../../shared/webhook/log/delivery-log.ts';
import { sendTestEvent } from '../../../shared/webhook/manage/manage-endpoints.ts';
import type { Post } from '../../../shared/webhook/post/http-post.ts';
import { continueResends } from '../../../shared/webhook/resend/continue-resends.ts';
import {
  type RequestResendDependencies,
  type ResendRequest,
  requestResend,
} from '../../../shared/webhook/resend/request-resend.ts';
import { sqsDeliveryQueue } from '../../../shared/webhook/schedule/delivery-queue.sqs.ts';
import { deliveryMessageSchema } from '../../../shared/webhook/schedule/delivery-queue.ts';
import { makeRetryScheduler } from '../../../shared/webhook/schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../../../shared/webhook/store/delivery-store.ts';
import { sweep } from '../../../shared/webhook/sweep/sweep-deliveries.ts';

/** What the functions reach outside of their process. */
interface Resources {
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly dueItemIndex: DueItemIndex;
  readonly endpointHealth: EndpointHealthStore & TrialSlots;
  readonly activityLog: ActivityLog;
  readonly usage: UsageCounter;
  /** Of the same entries. */
  readonly activity: RequestResendDependencies['activity'];
  readonly resends: RequestResendDependencies['resends'];
  readonly list: RequestResendDependencies['list'];
  readonly webhookSecrets: WebhookSecrets;
  readonly otpSecrets: OtpSecrets;
  readonly endpoints: EndpointReader & EndpointResults;
  readonly suppressions: SuppressionStore;
  readonly windows: WhatsAppWindows;
  readonly allowanceOf: AllowanceOf;
  readonly otps: OtpStore;
  readonly conversations: Conversations;
  readonly ownerOfNumber: OwnerOfNumber;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly senderPaces: SenderPaceStore;
  readonly sqs: SQSClient;
  readonly queueUrls: Readonly<Record<SendKind | Lane, string>>;
  readonly schedule: (name: string, at: Date, queue: SendKind | Lane, body: string) => Promise<void>;
  readonly scheduleLeadSeconds: number;
  readonly carrier: Carrier;
  readonly post: Post;
  readonly timeScale: number;
  readonly setAside: SetAside;
  readonly setUnreadableAside: (records: readonly StreamRecord[]) => Promise<void>;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly newId: (kind: string) => string;
}

export type GatewayFunctions = ReturnType<typeof gatewayFunctions>;

export const retentionDays = 30;

/** Made once for a process; each takes what Lambda would hand it. */
export function gatewayFunctions(resources: Resources) {
  const { messages, deliveries, dueItemIndex, sqs, queueUrls, schedule, scheduleLeadSeconds } = resources;
  const { accountUrlOf, endpoints, setAside, clock, sleep, newId } = resources;
  const outbound = sqsOutboundQueue(sqs, queueUrls);
  const pace = senderPace({ store: resources.senderPaces, clock, sleep, random: resources.random });
  const webhooks = {
    dueItemIndex,
    queue: sqsDeliveryQueue(sqs, queueUrls),
    health: endpointHealth(resources.endpointHealth),
    trials: resources.endpointHealth,
    warn: () => {},
    clock,
    newRevision: () => newId('revision'),
    retentionDays,
  };
  const run = { dueItemIndex, messages, setAside, clock, budgetMs: runBudgetMs };
  const recordOptOut = optOutAtCarrier(resources.suppressions);
  const secrets = cachedSecrets(resources.webhookSecrets, clock);
  const scheduleOnce: ScheduleOnce<Lane | SendKind> = ({ name, at, queue, message }) =>
    schedule(name, at, queue, JSON.stringify(message));
  const retryScheduler = makeRetryScheduler(webhooks.queue, scheduleOnce, scheduleLeadSeconds);

  const { activityLog, activity, resends, list } = resources;
  const resendMany = {
    ...webhooks,
    ...{ deliveries, resends, endpoints, messages, list, activity, activityLog, accountUrlOf, sleep },
  };

  return {
    pace,

    async relay(records: readonly StreamRecord[]) {
      const { changes, unreadable } = readChanges(records);
      await resources.setUnreadableAside(unreadable);
      return relay(
        {
          outbound,
          scheduleOnce,
          scheduleLeadSeconds,
          webhooks,
          accountUrlOf,
          endpointsOf: endpoints.list,
          setAside,
          clock,
        },
        changes,
      );
    },

    countUsage(records: readonly StreamRecord[]): Promise<CountedChanges> {
      const { usage: counter, random } = resources;
      return countChanges({ counter, sleep, random }, changeRecords(records));
    },

    async dispatch(body: string): Promise<HandlerResult> {
      const { retryAfterSeconds } = await dispatchQueued(
        {
          messages,
          carrierFor: () => resources.carrier,
          bodyOf: handOverBodies(resources.otpSecrets),
          isDisabled: async () => false,
          pace,
          suppressions: resources.suppressions,
          recordOptOut,
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
      const { receipts, inbound } = parseNotification(body);
      const { retryAfterSeconds } = await recordReceipts({ messages, recordOptOut }, receipts, receives);
      for (const each of inbound) {
        await receiveMessage({ ...resources, optOutWords: [] }, each);
      }
      return { retryAfterSeconds };
    },

    deliver(lane: Lane, body: string) {
      const { post, timeScale, reportFailedDelivery } = resources;
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
        { lane, timeScale, userAgent: 'test' },
        deliveryMessageSchema.parse(JSON.parse(body)),
      );
    },

    sweep: () => sweep({ ...run, ...webhooks, deliveries, endpoints, accountUrlOf }),

    requestResend: (clientId: string, request: ResendRequest) =>
      requestResend(resendMany, clientId, clientId, request),

    sendTestEvent: (clientId: string, endpointId: string) =>
      sendTestEvent(resendMany, { actor: clientId, clientId, endpointId }),

    reportDisabled: (endpoint: WebhookEndpoint) =>
      reportDisabled({ ...webhooks, deliveries, endpoints, activityLog }, endpoint),

    continueResends: () => continueResends({ ...resendMany, budgetMs: runBudgetMs }),

    deliveryLog: (clientId: string, query: DeliveryLogQuery) => deliveryLog(resendMany, clientId, query),

    expire: () => expireOverdue({ ...run, outbound }),

    addMissed: (scan: Pick<AddMissedDependencies, 'progress' | 'clientIds' | 'list'>) =>
      addMissedMessages({ ...run, ...scan, endsAt: addSeconds(clock(), runBudgetMs / 1000) }),
  };
}
