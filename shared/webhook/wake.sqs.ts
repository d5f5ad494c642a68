/** The two webhook queues. The client is the message group: a fair queue keeps one client's flood from the others. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendAll } from '../send-all.sqs.ts';
import type { Lane } from './delivery.ts';
import type { DeliveryQueue } from './wake.ts';

export function sqsDeliveryQueue(
  client: SQSClient,
  queueUrls: Readonly<Record<Lane, string>>,
): DeliveryQueue {
  return {
    send: (lane, entries) =>
      sendAll(
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
