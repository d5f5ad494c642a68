/** Posts webhooks: serves both webhook queues, and tells the lane by the queue a batch came from. */
import type { SQSHandler } from 'aws-lambda';
import { done, processBatch } from '../shared/batch.ts';
import { readEnvironment } from '../shared/env.ts';
import { countFigures } from '../shared/figures/count-figures.ts';
import type { Figure } from '../shared/figures/figures.ts';
import { figuresFromEnvironment } from '../shared/figures/from-environment.ts';
import { version } from '../shared/version.ts';
import { deliver } from '../shared/webhook/deliver.ts';
import { deliverEnvironment, deliverPorts } from '../shared/webhook/deliver-ports.ts';
import { logOutcome } from '../shared/webhook/delivery-log.ts';
import { deliveryMessageSchema } from '../shared/webhook/wake.ts';

const env = readEnvironment([...deliverEnvironment, 'WEBHOOK_TIME_SCALE']);
const ports = deliverPorts(env);
const figures = figuresFromEnvironment();

/** POSTs that hang end together if they began so, and their writes in one burst would hold up everybody's. */
const slowApartMs = 10;
const slowSpreadMaxMs = 500;

export const handler: SQSHandler = async (event) => {
  const counted: Figure[] = [];
  const apartMs = Math.min(slowApartMs, slowSpreadMaxMs / event.Records.length);
  const answer = await processBatch(event, deliveryMessageSchema, async (message, record) => {
    const lane = record.eventSourceARN === env.SLOW_WEBHOOKS_QUEUE_ARN ? 'slow' : 'fast';
    if (lane === 'slow') await ports.sleep(event.Records.indexOf(record) * apartMs);
    const settings = {
      lane,
      timeScale: env.WEBHOOK_TIME_SCALE,
      userAgent: `messaging-gateway/${version}`,
    } as const;
    const outcome = await deliver(ports, settings, message);
    logOutcome(message, lane, outcome);
    if ('attempt' in outcome) counted.push(`webhooks_${outcome.kind}`);
    return done;
  });
  await countFigures(figures, counted);
  return answer;
};
