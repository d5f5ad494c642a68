/** Receives messages from a queue that also invokes the function, whose role therefore has the permissions for it. */
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { FurtherMessages } from '../receive-further.ts';

/** Below the time limit of a call (`clients.ts`): a call that is given up may have received messages. */
const waitSeconds = 1;

export function sqsFurtherMessages(client: SQSClient, queueUrl: string): FurtherMessages {
  return {
    async receive(max) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: max,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      );
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
        attributes: { ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '1' },
      }));
    },

    async delete(receiptHandle) {
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
    },
  };
}
