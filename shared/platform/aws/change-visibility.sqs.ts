/** Hides a received queue message for longer, so that the same message comes back later. */
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';

export function changeVisibilityOn(client: SQSClient, queueUrl: string) {
  return async (receiptHandle: string, seconds: number): Promise<void> => {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  };
}
