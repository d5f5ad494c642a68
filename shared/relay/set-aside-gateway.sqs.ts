/**
 * Set-aside work in a gateway that an administrator's shell reaches: its queues, and how their messages are
 * processed.
 */

import type { SQSClient } from '@aws-sdk/client-sqs';
import { changeVisibilityOn, receiveFrom, receiverOn, sendMessages } from '../platform/aws/queues.sqs.ts';
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

const deadLettersEnding = '_dead_letters';

export function setAsideGateway(sqs: SQSClient, queues: Readonly<Record<string, string>>): SetAsideGateway {
  const names = Object.keys(queues).filter((name) => name.endsWith(deadLettersEnding) || name === relayQueue);
  return {
    queues: new Map(names.map((name) => [name, sqsSetAsideQueue(sqs, name, queues[name] ?? '')])),
    async sendBack({ queue, body, clientId }) {
      const source = queues[queue.slice(0, -deadLettersEnding.length)];
      if (source === undefined) throw new Error(`The queue of ${queue} is not known.`);
      await sendMessages(sqs, source, [{ json: body, clientId }]);
    },
  };
}
