/** Posts webhooks. Serves both webhook queues; the queue of a batch gives the lane. */
import type { SQSHandler } from 'aws-lambda';
import { version } from '../shared/contract/version.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { ack, processBatch } from '../shared/platform/process-queue-batch.ts';
import { countWebhookAttempts } from '../shared/usage/count-webhook-attempts.ts';
import type { AttemptMetric } from '../shared/usage/webhook-attempts.ts';
import { webhookAttemptsFrom } from '../shared/usage/webhook-attempts-from-environment.ts';
import { deliverDependencies, deliverEnvironment } from '../shared/webhook/deliver/deliver-dependencies.ts';
import { deliver } from '../shared/webhook/deliver/deliver-webhook.ts';
import { logOutcome } from '../shared/webhook/deliver/log-outcome.ts';
import { startDelayMs } from '../shared/webhook/endpoint-health/choose-lane.ts';
import { deliveryMessageSchema } from '../shared/webhook/schedule/retry-scheduler.ts';

const env = readEnvironment([...deliverEnvironment, 'WEBHOOK_TIME_SCALE', 'USAGE_TABLE']);
const dependencies = deliverDependencies(env);
const attempts = webhookAttemptsFrom(env);

export const handler: SQSHandler = async (event) => {
  const counted: AttemptMetric[] = [];
  const answer = await processBatch(event, deliveryMessageSchema, async (message, record) => {
    const lane = record.eventSourceARN === env.SLOW_WEBHOOKS_QUEUE_ARN ? 'slow' : 'fast';
    const delayMs = startDelayMs(lane, event.Records.indexOf(record), event.Records.length);
    if (delayMs > 0) await dependencies.sleep(delayMs);
    const settings = {
      lane,
      timeScale: env.WEBHOOK_TIME_SCALE,
      userAgent: `messaging-gateway/${version}`,
    } as const;
    const outcome = await deliver(dependencies, settings, message);
    logOutcome(message, lane, outcome);
    if ('attempt' in outcome) counted.push(`webhooks_${outcome.kind}`);
    return ack;
  });
  await countWebhookAttempts(attempts, counted);
  return answer;
};
