/** The two webhook queues. The client is the message group: a fair queue keeps one client's flood from the others. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Lane } from './delivery.ts';
import type { DeliveryQueue } from './wake.ts';

export function sqsDeliveryQueue(
  client: SQSClient,
  queueUrls: Readonly<Record<Lane, string>>,
): DeliveryQueue {
  return {
    async send(lane, clientId, message, delaySeconds) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrls[lane],
          MessageBody: JSON.stringify(message),
          MessageGroupId: clientId,
          DelaySeconds: delaySeconds,
        }),
      );
    },
  };
}
