/** The receipts queue: records what carriers report of messages. */
import type { SQSEvent } from 'aws-lambda';
import { dynamo } from '../shared/aws.ts';
import { done, processRecords } from '../shared/batch.ts';
import { parseReceipts } from '../shared/carrier/receipts.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { recordReceipt } from '../shared/message/record-receipts.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'RETENTION_DAYS']);
const messages = dynamoMessageStore(dynamo(), {
  tableName: env.MESSAGES_TABLE,
  retentionDays: env.RETENTION_DAYS,
});

export function handler(event: SQSEvent) {
  return processRecords(event, async (record) => {
    for (const receipt of parseReceipts(record.body)) {
      const { outcome, messageId, message } = await recordReceipt(messages, receipt);
      log.info('receipt', {
        message_id: messageId,
        client_id: message?.client_id,
        reported: receipt.transition.to,
        error_code: receipt.transition.errorCode,
        outcome,
        status: message?.status,
      });
    }
    return done;
  });
}
