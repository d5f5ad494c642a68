/** The outbound queue on SQS: fair between clients by `MessageGroupId`. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendMessages } from '../../platform/aws/send-messages.sqs.ts';
import type { OutboundQueue } from './outbound-queue.ts';

export function sqsOutboundQueue(client: SQSClient, queueUrl: string): OutboundQueue {
  return {
    enqueue: (entries) =>
      sendMessages(
        client,
        queueUrl,
        entries.map(({ messageId, clientId, delaySeconds }) => ({
          json: JSON.stringify({ message_id: messageId }),
          clientId,
          delaySeconds,
        })),
      ),
  };
}
