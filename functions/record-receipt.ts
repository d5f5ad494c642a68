/** The receipts queue: records what carriers report of messages. */
import type { SQSEvent } from 'aws-lambda';
import { done, processRecords } from '../shared/batch.ts';
import { parseReceipts } from '../shared/carrier/receipts.ts';
import { log } from '../shared/log.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { recordReceipt } from '../shared/message/record-receipts.ts';

const messages = messagesFromEnvironment();

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
