/** The two webhook queues. The client is the message group: a fair queue keeps one client's flood from the others. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Lane } from './delivery.ts';
import type { DeliveryQueue } from './wake.ts';

/** @param queueUrls of the lanes that the caller may send to; the relay begins in the fast one alone. */
export function sqsDeliveryQueue(
  client: SQSClient,
  queueUrls: Readonly<Partial<Record<Lane, string>>>,
): DeliveryQueue {
  return {
    async send(lane, clientId, message, delaySeconds) {
      if (queueUrls[lane] === undefined) throw new Error(`no queue is given for the ${lane} lane`);
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
