/**
 * Set-aside work in a gateway that an administrator's shell reaches: its queues, and how their messages are
 * processed.
 */

import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { changeVisibilityOn, receiveFrom, receiverOn, sendMessages } from '../platform/aws/queues.sqs.ts';
import { dynamoDueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import { dynamoDeliveryStore } from '../webhook/delivery-store.dynamo.ts';
import {
  relayQueue,
  type SetAsideGateway,
  type SetAsideMessage,
  type SetAsideQueue,
} from './set-aside-records.ts';

const hiddenSeconds = 60;

function sqsSetAsideQueue(client: SQSClient, queue: string, QueueUrl: string): SetAsideQueue {
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: hiddenSeconds };
  const { delete: remove } = receiverOn(client, QueueUrl);
  const changeVisibility = changeVisibilityOn(client, QueueUrl);
  return {
    async read() {
      const found = new Map<string, SetAsideMessage>();
      for (;;) {
        const records = await receiveFrom(client, input, 'SentTimestamp', 'MessageGroupId');
        if (records.length === 0) return [...found.values()];
        for (const record of records) {
          const { SentTimestamp = 0, MessageGroupId = '-' } = record.attributes ?? {};
          const sentAt = new Date(Number(SentTimestamp)).toISOString();
          found.set(record.messageId, { ...record, queue, sentAt, clientId: MessageGroupId });
        }
      }
    },
    delete: ({ receiptHandle }) => remove(receiptHandle),
    release: ({ receiptHandle }) => changeVisibility(receiptHandle, 0),
  };
}

interface GatewayResources {
  readonly tables: Readonly<Record<string, string>>;
  readonly queues: Readonly<Record<string, string>>;
}

const deadLettersEnding = '_dead_letters';

export function setAsideGateway(
  dynamo: DynamoDBDocumentClient,
  sqs: SQSClient,
  { tables, queues }: GatewayResources,
): SetAsideGateway {
  const { webhook_deliveries = '', due_items = '' } = tables;
  const names = Object.keys(queues).filter((name) => name.endsWith(deadLettersEnding) || name === relayQueue);
  return {
    queues: new Map(names.map((name) => [name, sqsSetAsideQueue(sqs, name, queues[name] ?? '')])),
    deliveries: dynamoDeliveryStore(dynamo, webhook_deliveries),
    dueItemIndex: dynamoDueItemIndex(dynamo, due_items),
    async sendBack({ queue, body, clientId }) {
      const source = queues[queue.slice(0, -deadLettersEnding.length)];
      if (source === undefined) throw new Error(`The queue of ${queue} is not known.`);
      await sendMessages(sqs, source, [{ json: body, clientId }]);
    },
  };
}
