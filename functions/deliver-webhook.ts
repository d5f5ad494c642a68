/** Posts webhooks, goes on with resends of many, and disables endpoints that fail for days. Consumes both webhook queues. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSHandler } from 'aws-lambda';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { dynamoWebhookSecrets } from '../shared/client/webhook-secrets.dynamo.ts';
import { cachedSecrets } from '../shared/client/webhook-secrets.ts';
import { modeOf } from '../shared/contract/mode.ts';
import {
  dynamo,
  type ForeignCredentials,
  foreignEventBridge,
  foreignSqs,
  scheduler,
  sqs,
  sts,
} from '../shared/platform/aws/clients.ts';
import { changeVisibilityOn } from '../shared/platform/aws/queues.sqs.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log, logWarning } from '../shared/platform/log.ts';
import { processBatch } from '../shared/platform/process-queue-batch.ts';
import { type CountedAttempt, countWebhookAttempts } from '../shared/usage/webhook-attempts.dynamo.ts';
import { addressRules } from '../shared/webhook/address-guard.ts';
import { logFieldsOf, reportFailedDelivery } from '../shared/webhook/deliver/alert-failure.ts';
import { assumedRoles, stsAssumeRole } from '../shared/webhook/deliver/assumed-roles.sts.ts';
import {
  type DeliverDependencies,
  deliver,
  type Outcome,
} from '../shared/webhook/deliver/deliver-webhook.ts';
import { disableIfFailing } from '../shared/webhook/deliver/disable-endpoint.ts';
import { httpPost } from '../shared/webhook/deliver/http-post.ts';
import { dnsResolve, machineResolve } from '../shared/webhook/deliver/resolve-host.ts';
import { eventBridgePutEvent, sqsSendMessage } from '../shared/webhook/deliver/send-to-aws.sqs.ts';
import { type SendToAws, sendToAws } from '../shared/webhook/deliver/send-to-aws.ts';
import {
  type DeliveryMessage,
  eventBridgeSchedules,
  makeRetryScheduler,
  sqsDeliveryQueue,
  type WebhookMessage,
  type WebhookQueue,
  webhookMessageSchema,
} from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoDeliveryStore, dynamoResendStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoEndpointReader, dynamoEndpointResults } from '../shared/webhook/endpoint-store.dynamo.ts';
import type { WebhookLogDependencies } from '../shared/webhook/log/delivery-log.ts';
import { runResend } from '../shared/webhook/log/run-resend.ts';
import { dynamoSlowEndpoints } from '../shared/webhook/slow-endpoints.dynamo.ts';

const env = environmentOf<'deliver-webhook'>();
const queues = sqs();
const timeScale = env.WEBHOOK_TIME_SCALE;
const queueUrls = { first: env.WEBHOOKS_QUEUE_URL, retries: env.WEBHOOK_RETRIES_QUEUE_URL };
const dependencies = deliverDependencies();
const context = contextOf(env);

export const handler: SQSHandler = async (event) => {
  const counted: CountedAttempt[] = [];
  const isRetryQueue = event.Records[0]?.eventSourceARN === env.WEBHOOK_RETRIES_QUEUE_ARN;
  const from = isRetryQueue ? 'retries' : 'first';
  const response = await processBatch(
    event,
    webhookMessageSchema,
    async (message) => {
      if (!('delivery_id' in message)) {
        await workOnOther(message);
        return {};
      }
      const outcome = await deliver(dependencies, { from, timeScale }, message);
      logOutcome(message, from, outcome);
      if ('attempt' in outcome) {
        const mode = modeOf(outcome.delivery.client_id);
        counted.push({ mode, metric: `webhooks_${outcome.kind}`, totalMs: outcome.attempt.total_ms });
      }
      return { retryAfterSeconds: outcome.kind === 'held' ? outcome.retryAfterSeconds : undefined };
    },
    changeVisibilityOn(queues, queueUrls[from]),
  );
  await countWebhookAttempts(context, counted);
  return response;
};

async function workOnOther(message: Exclude<WebhookMessage, DeliveryMessage>): Promise<void> {
  if ('resend_id' in message) {
    const resend = await runResend(dependencies, message.resend_id);
    const { status, matched, resent } = resend ?? {};
    log.info('webhooks resent', { resend_id: message.resend_id, status, matched, resent });
    return;
  }
  const { client_id, failing_endpoint_id: endpoint_id } = message;
  await disableIfFailing(dependencies, client_id, endpoint_id);
  log.info('failing endpoint reviewed', { client_id, endpoint_id });
}

/** Writes one line for each queue message of a delivery. */
function logOutcome(message: DeliveryMessage, queue: WebhookQueue, outcome: Outcome): void {
  log.info('webhook', {
    delivery_id: message.delivery_id,
    queue,
    outcome: outcome.kind,
    ...('delivery' in outcome ? logFieldsOf(outcome.delivery) : {}),
    ...('attempt' in outcome
      ? {
          attempt: outcome.attempt.number,
          trigger: outcome.attempt.trigger,
          lateness_ms: outcome.attempt.lateness_ms,
          total_ms: outcome.attempt.total_ms,
          status: outcome.attempt.status,
          error: outcome.attempt.error,
          next_due_at: outcome.attempt.next_due_at,
        }
      : {}),
  });
}

function deliverDependencies() {
  const database = dynamo();
  const queue = sqsDeliveryQueue(queues, queueUrls);
  const scheduleOnce = eventBridgeSchedules(scheduler(), {
    groupName: env.SCHEDULE_GROUP,
    roleArn: env.SCHEDULE_ROLE_ARN,
    queueArn: env.WEBHOOK_RETRIES_QUEUE_ARN,
  });
  let toAws: SendToAws | undefined;
  return {
    deliveries: dynamoDeliveryStore(database, env.WEBHOOK_DELIVERIES_TABLE),
    resends: dynamoResendStore(database, env.WEBHOOK_DELIVERIES_TABLE),
    endpoints: {
      ...dynamoEndpointReader(database, env.WEBHOOK_ENDPOINTS_TABLE),
      ...dynamoEndpointResults(database, env.WEBHOOK_ENDPOINTS_TABLE),
    },
    retentionDays: env.RETENTION_DAYS,
    activityLog: activityLogFrom(env),
    secrets: cachedSecrets(dynamoWebhookSecrets(database, env.CLIENT_SECRETS_TABLE), systemClock),
    slowEndpoints: dynamoSlowEndpoints(database, env.WEBHOOK_DELIVERIES_TABLE),
    post: httpPost({
      rules: addressRules(env),
      resolve: env.WEBHOOK_ALLOW_LOOPBACK ? machineResolve : dnsResolve(),
    }),
    sendToAws: (request) => {
      // Created with the first webhook to a queue or an event bus, because most workers have none.
      toAws ??= awsSender();
      return toAws(request);
    },
    queue,
    retryScheduler: makeRetryScheduler({
      queue,
      scheduleOnce,
      scheduleLeadSeconds: env.SCHEDULE_LEAD_SECONDS,
      warn: logWarning,
    }),
    clock: systemClock,
    sleep,
    newRevision: randomUUID,
    reportFailedDelivery,
    warn: logWarning,
  } satisfies DeliverDependencies & WebhookLogDependencies;
}

/** Creates the sender. It keeps each client of the SDK until its credentials expire. */
function awsSender(): SendToAws {
  const roles = assumedRoles(stsAssumeRole(sts()), systemClock, randomUUID);
  const [queues, buses] = [perCredentials(foreignSqs), perCredentials(foreignEventBridge)];
  return sendToAws(roles, { sendMessage: sqsSendMessage(queues), putEvent: eventBridgePutEvent(buses) });
}

function perCredentials<Client>(make: (region: string, credentials: ForeignCredentials) => Client) {
  const clients = new WeakMap<ForeignCredentials, Client>();
  return (region: string, credentials: ForeignCredentials): Client => {
    const client = clients.get(credentials) ?? make(region, credentials);
    clients.set(credentials, client);
    return client;
  };
}
