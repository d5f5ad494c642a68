/** Posts webhooks: serves both webhook queues, and tells the lane by the queue a batch came from. */
import type { SQSHandler } from 'aws-lambda';
import { done, processBatch } from '../shared/batch.ts';
import { readEnvironment } from '../shared/env.ts';
import { version } from '../shared/version.ts';
import { deliver } from '../shared/webhook/deliver.ts';
import { deliverEnvironment, deliverPorts } from '../shared/webhook/deliver-ports.ts';
import { logOutcome } from '../shared/webhook/delivery-log.ts';
import { deliveryMessageSchema } from '../shared/webhook/wake.ts';

const env = readEnvironment([...deliverEnvironment, 'WEBHOOK_TIME_SCALE']);
const ports = deliverPorts(env);

export const handler: SQSHandler = (event) =>
  processBatch(event, deliveryMessageSchema, async (message, record) => {
    const lane = record.eventSourceARN === env.SLOW_WEBHOOKS_QUEUE_ARN ? 'slow' : 'fast';
    const settings = {
      lane,
      timeScale: env.WEBHOOK_TIME_SCALE,
      userAgent: `messaging-gateway/${version}`,
    } as const;
    logOutcome(message, lane, await deliver(ports, settings, message));
    return done;
  });
