import { CreateScheduleGroupCommand, GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { scheduleOnce, sendWebhookRetries } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { schedulerClient, sqsClient } from '../../support/gateway/gateway.ts';

const sqs = sqsClient();
const scheduler = schedulerClient();
const group = 'wake-test';
let queue: { url: string; arn: string };

beforeAll(async () => {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'wake-test' }));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  queue = { url: QueueUrl, arn: Attributes?.QueueArn ?? '' };
  await scheduler.send(new CreateScheduleGroupCommand({ Name: group }));
});
const context = () =>
  testContext(inMemoryTables(), {
    sqs: () => sqs,
    env: {
      WEBHOOK_RETRIES_QUEUE_URL: queue.url,
      WEBHOOK_RETRIES_QUEUE_ARN: queue.arn,
      SCHEDULE_GROUP: group,
      SCHEDULE_ROLE_ARN: 'arn:aws:iam::000000000000:role/wake-test',
    },
  });
afterAll(() => {
  sqs.destroy();
  scheduler.destroy();
});

it('sends with the client as message group, so that a fair queue can keep clients apart', async () => {
  await sendWebhookRetries(context(), [
    { clientId: 'client-a', message: { delivery_id: 'whd_1' }, delaySeconds: 0 },
  ]);
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queue.url,
      WaitTimeSeconds: 5,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
  );
  expect(Messages?.[0]?.Body).toBe('{"delivery_id":"whd_1"}');
  expect(Messages?.[0]?.Attributes?.MessageGroupId).toBe('client-a');
});

it('makes a one-shot schedule once, however often it is asked to', async () => {
  const at = addSeconds(new Date(), 3600);
  const create = () => scheduleOnce({ ...context(), scheduler }, 'whd_1-5', at, { delivery_id: 'whd_1' });
  await create();
  await create();
  expect(await scheduler.send(new GetScheduleCommand({ Name: 'whd_1-5', GroupName: group }))).toMatchObject({
    ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: queue.arn, Input: '{"delivery_id":"whd_1"}' },
  });
});
