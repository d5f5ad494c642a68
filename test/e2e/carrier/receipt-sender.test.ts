/** Simulated receipts are queued all or with an error, for their client, and no sooner than they are due. */

import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sqsReceiptSender } from '../../../shared/carrier/simulator/simulated-recipients.ts';
import { eventually, sqsClient } from '../../support/gateway/gateway.ts';

let sqs: SQSClient;
let queueUrl: string;

beforeAll(async () => {
  sqs = sqsClient();
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `receipts-${randomUUID()}` }));
  queueUrl = QueueUrl ?? '';
});

afterAll(async () => {
  await sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
  sqs.destroy();
});

it('queues each receipt for its client after its delay', async () => {
  const sentAt = Date.now();
  await sqsReceiptSender(sqs, queueUrl)(
    [
      { body: 'late', delaySeconds: 1 },
      { body: 'now', delaySeconds: 0 },
    ],
    'acme',
  );
  const received: { body: string; afterMs: number; group: string | undefined }[] = [];
  await eventually(async () => {
    for (const message of await receive()) {
      received.push({
        body: message.Body ?? '',
        afterMs: Date.now() - sentAt,
        group: message.Attributes?.MessageGroupId,
      });
    }
    return received.length < 2 ? undefined : received;
  });
  // Both come at once where this process had no time for a second.
  const [late, now] = received.toSorted((one, other) => one.body.localeCompare(other.body));
  expect(received).toHaveLength(2);
  expect(now).toMatchObject({ body: 'now', group: 'acme' });
  expect(late).toMatchObject({ body: 'late', group: 'acme' });
  expect(late?.afterMs).toBeGreaterThanOrEqual(1000);
});

it('fails where the queue does not exist', async () => {
  const sender = sqsReceiptSender(sqs, `${queueUrl}-gone`);
  await expect(sender([{ body: 'now', delaySeconds: 0 }], 'acme')).rejects.toThrow();
});

async function receive(): Promise<Message[]> {
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
  );
  return Messages ?? [];
}
