/** Sends simulated receipts to the receipts queue, to which SNS delivers the real ones. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sendMessages } from '../../platform/aws/queues.sqs.ts';
import type { ReceiptSender } from './simulated-carrier.ts';

export function sqsReceiptSender(client: SQSClient, queueUrl: string): ReceiptSender {
  return (receipts, clientId) =>
    sendMessages(
      client,
      queueUrl,
      receipts.map(({ body, delaySeconds }) => ({ json: body, clientId, delaySeconds })),
    );
}
