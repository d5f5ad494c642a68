/** The outbound queue on SQS: fair between clients by `MessageGroupId`. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendAll } from '../send-all.sqs.ts';
import type { OutboundQueue } from './outbound-queue.ts';

export function sqsOutboundQueue(client: SQSClient, queueUrl: string): OutboundQueue {
  return {
    enqueue: (entries) =>
      sendAll(
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
