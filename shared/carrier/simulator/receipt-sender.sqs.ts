/** Sends simulated receipts to the receipts queue, to which SNS delivers the real ones. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendMessages } from '../../platform/aws/queues.sqs.ts';

/** Queues receipts and replies for a client; at most ten at once. */
export type ReceiptSender = (
  receipts: readonly { readonly body: string; readonly delaySeconds: number }[],
  clientId: string,
) => Promise<void>;

export function sqsReceiptSender(client: SQSClient, queueUrl: string): ReceiptSender {
  return (receipts, clientId) =>
    sendMessages(
      client,
      queueUrl,
      receipts.map(({ body, delaySeconds }) => ({ json: body, clientId, delaySeconds })),
    );
}
