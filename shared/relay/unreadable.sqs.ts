/** Sets stream records aside that are no messages, so that one of them holds up nothing and is lost to nobody. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { log } from '../log.ts';
import { countMetric } from '../metrics.ts';
import type { StreamRecord } from './stream.dynamo.ts';

export function sqsUnreadable(client: SQSClient, queueUrl: string) {
  return async (records: readonly StreamRecord[]): Promise<void> => {
    for (const record of records) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(record) }));
      log.error('stream record unreadable', { event_id: record.eventID });
      countMetric('UnreadableStreamRecord');
    }
  };
}
