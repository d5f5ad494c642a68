/** The two webhook queues. The message group is the client: a fair queue prevents one client from delaying the others. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendMessages } from '../../platform/aws/send-messages.sqs.ts';
import type { Lane } from '../delivery.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

export function sqsDeliveryQueue(
  client: SQSClient,
  queueUrls: Readonly<Record<Lane, string>>,
): DeliveryQueue {
  return {
    send: (lane, entries) =>
      sendMessages(
        client,
        queueUrls[lane],
        entries.map(({ clientId, message, delaySeconds }) => ({
          json: JSON.stringify(message),
          clientId,
          delaySeconds,
        })),
      ),
  };
}
