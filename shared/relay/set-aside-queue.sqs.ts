/** Reads a queue of what was set aside without taking anything from it, and deletes what is processed. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SetAsideMessage } from './set-aside-records.ts';

export interface SetAsideQueue {
  /** All messages. They are hidden from others until `release`, for a minute at most. */
  read(): Promise<readonly SetAsideMessage[]>;
  delete(message: SetAsideMessage): Promise<void>;
  /** Shows a message to others again, and to the alarm. */
  release(message: SetAsideMessage): Promise<void>;
}

const hiddenSeconds = 60;
/** With a wait SQS asks all of its servers, so an empty response means that nothing is left. */
const waitSeconds = 1;

export function sqsSetAsideQueue(client: SQSClient, queue: string, QueueUrl: string): SetAsideQueue {
  return {
    async read() {
      const found = new Map<string, SetAsideMessage>();
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: 10,
            WaitTimeSeconds: waitSeconds,
            VisibilityTimeout: hiddenSeconds,
            MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp', 'MessageGroupId'],
          }),
        );
        if (Messages.length === 0) return [...found.values()];
        for (const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} } of Messages) {
          found.set(MessageId, {
            queue,
            messageId: MessageId,
            receiptHandle: ReceiptHandle,
            body: Body,
            attributes: { ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '1' },
            sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
            clientId: Attributes.MessageGroupId ?? '-',
          });
        }
      }
    },

    async delete({ receiptHandle }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }));
    },

    async release({ receiptHandle }) {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }),
      );
    },
  };
}
