/**
 * Posts webhooks, continues resends of many webhooks, and disables endpoints that fail for days or are gone. Consumes both webhook
 * queues.
 */

import type { SQSHandler } from 'aws-lambda';
import type * as z from 'zod/mini';
import { scheduler, sts } from '../shared/platform/aws/clients.ts';
import { changeVisibilityOn } from '../shared/platform/aws/queues.sqs.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { lazily } from '../shared/platform/expiring-cache.ts';
import { processBatch } from '../shared/platform/process-queue-batch.ts';
import { addressRules } from '../shared/webhook/address-guard.ts';
import { logFieldsOf } from '../shared/webhook/deliver/alert-failure.ts';
import { assumedRoles, stsAssumeRole } from '../shared/webhook/deliver/assumed-roles.sts.ts';
import {
  type DeliverContext,
  deliverWebhook,
  type Outcome,
} from '../shared/webhook/deliver/deliver-webhook.ts';
import { disableIfFailing } from '../shared/webhook/deliver/disable-endpoint.ts';
import { dnsResolve, httpPost, machineResolve } from '../shared/webhook/deliver/http-post.ts';
import { awsSenders, sendToAws } from '../shared/webhook/deliver/send-to-aws.sqs.ts';
import {
  type DeliveryMessage,
  type WebhookQueue,
  webhookMessageSchema,
} from '../shared/webhook/delivery-queue.sqs.ts';
import { runResend } from '../shared/webhook/log/resend.ts';

const base = contextOf(environmentOf<'deliver-webhook'>());
const { clock, env, log, newId } = base;
// Created at the first webhook to a queue or bus, because most workers never send to one.
const toAws = lazily(() => sendToAws(assumedRoles(stsAssumeRole(sts()), clock, newId), awsSenders()));
const context = {
  ...base,
  post: httpPost({
    rules: addressRules(env),
    resolve: env.WEBHOOK_ALLOW_LOOPBACK ? machineResolve : dnsResolve(),
  }),
  sendToAws: (request) => toAws()(request),
  scheduler: scheduler(),
} satisfies DeliverContext;

export const handler: SQSHandler = async (event) => {
  const isRetryQueue = event.Records[0]?.eventSourceARN === env.WEBHOOK_RETRIES_QUEUE_ARN;
  const from = isRetryQueue ? 'retries' : 'first';
  return processBatch(
    event,
    webhookMessageSchema,
    async (message) => {
      if (!('delivery_id' in message)) {
        await workOnOther(message);
        return {};
      }
      const outcome = await deliverWebhook(context, from, message);
      logOutcome(message, from, outcome);
      return { retryAfterSeconds: outcome.kind === 'held' ? outcome.retryAfterSeconds : undefined };
    },
    changeVisibilityOn(context.sqs(), isRetryQueue ? env.WEBHOOK_RETRIES_QUEUE_URL : env.WEBHOOKS_QUEUE_URL),
  );
};

async function workOnOther(
  message: Exclude<Readonly<z.output<typeof webhookMessageSchema>>, DeliveryMessage>,
): Promise<void> {
  if ('resend_id' in message) {
    const resend = await runResend(context, message.resend_id);
    const { status, matched, resent } = resend ?? {};
    log.info('webhooks resent', { resend_id: message.resend_id, status, matched, resent });
    return;
  }
  const { client_id, failing_endpoint_id: endpoint_id, gone } = message;
  await disableIfFailing(context, client_id, endpoint_id, gone);
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
