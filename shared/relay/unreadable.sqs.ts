/** Sets aside stream records that are no messages: none of them holds up the others, and none is lost. */
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
