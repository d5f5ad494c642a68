/** Puts simulated receipts into the receipts queue, where SNS puts the real ones. */
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ReceiptSender } from './simulator.ts';

export function sqsReceiptSender(client: SQSClient, queueUrl: string): ReceiptSender {
  return async (receipts, clientId) => {
    const answer = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: receipts.map((receipt, index) => ({
          Id: String(index),
          MessageBody: receipt.body,
          DelaySeconds: receipt.delaySeconds,
          MessageGroupId: clientId,
        })),
      }),
    );
    const failed = answer.Failed?.length ?? 0;
    if (failed > 0) throw new Error(`${failed} of ${receipts.length} simulated receipts were not queued`);
  };
}
