/** Posts webhooks. Serves both webhook queues; the queue of a batch gives the lane. */
import type { SQSHandler } from 'aws-lambda';
import { slowLaneBatchSize } from '../shared/contract/delivery-times.ts';
import { version } from '../shared/contract/version.ts';
import { changeVisibilityOn } from '../shared/platform/aws/change-visibility.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { sqsFurtherMessages } from '../shared/platform/aws/further-messages.sqs.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { processAndReceiveFurther } from '../shared/platform/receive-further.ts';
import { type CountedAttempt, countWebhookAttempts } from '../shared/usage/count-webhook-attempts.ts';
import { dynamoAttemptCounter } from '../shared/usage/webhook-attempts.dynamo.ts';
import {
  deliverDependencies,
  deliverEnvironment,
} from '../shared/webhook/deliver/deliver-from-environment.ts';
import { deliver } from '../shared/webhook/deliver/deliver-webhook.ts';
import { logOutcome } from '../shared/webhook/deliver/log-outcome.ts';
import { receiveFurtherMs, startDelayMs } from '../shared/webhook/endpoint-health/choose-lane.ts';
import { likelySlowAfterMs } from '../shared/webhook/endpoint-health/endpoint-health.ts';
import { deliveryMessageSchema } from '../shared/webhook/schedule/delivery-queue.ts';

const env = readEnvironment([...deliverEnvironment, 'WEBHOOK_TIME_SCALE', 'USAGE_TABLE']);
const dependencies = deliverDependencies(env);
const attempts = { ...dependencies, counter: dynamoAttemptCounter(dynamo(), env.USAGE_TABLE) };
const queues = sqs();

export const handler: SQSHandler = async (event) => {
  const counted: CountedAttempt[] = [];
  const lane = event.Records[0]?.eventSourceARN === env.SLOW_WEBHOOKS_QUEUE_ARN ? 'slow' : 'fast';
  const queueUrl = lane === 'slow' ? env.SLOW_WEBHOOKS_QUEUE_URL : env.WEBHOOKS_QUEUE_URL;
  const settings = {
    lane,
    timeScale: env.WEBHOOK_TIME_SCALE,
    userAgent: `messaging-gateway/${version}`,
  } as const;
  const { clock, sleep } = dependencies;
  const options = {
    further: sqsFurtherMessages(queues, queueUrl),
    changeVisibility: changeVisibilityOn(queues, queueUrl),
    afterMs: likelySlowAfterMs,
    untilMs: receiveFurtherMs(lane, Math.random()),
    messagesMax: slowLaneBatchSize,
    clock,
    sleep,
  };
  const response = await processAndReceiveFurther(
    event.Records,
    options,
    async (record, position, received) => {
      const message = deliveryMessageSchema.parse(JSON.parse(record.body));
      const delayMs = startDelayMs(lane, position, received);
      if (delayMs > 0) await sleep(delayMs);
      const outcome = await deliver(dependencies, settings, message);
      logOutcome(message, lane, outcome);
      if ('attempt' in outcome) {
        counted.push({ metric: `webhooks_${outcome.kind}`, totalMs: outcome.attempt.total_ms });
      }
      return { retryAfterSeconds: outcome.kind === 'held' ? outcome.retryAfterSeconds : undefined };
    },
  );
  await countWebhookAttempts(attempts, counted);
  return response;
};
