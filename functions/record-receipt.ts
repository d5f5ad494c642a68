/** The receipts queue: records what carriers report of messages. */
import type { SQSEvent } from 'aws-lambda';
import { sqs } from '../shared/aws.ts';
import { processRecords } from '../shared/batch.ts';
import { parseReceipts } from '../shared/carrier/receipts.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { takeReceipts } from '../shared/message/take-receipts.ts';
import { countMetric } from '../shared/metrics.ts';
import { postponeOn } from '../shared/postpone.sqs.ts';

const messages = messagesFromEnvironment();
const postpone = postponeOn(sqs(), readEnvironment(['RECEIPTS_QUEUE_URL']).RECEIPTS_QUEUE_URL);

export function handler(event: SQSEvent) {
  return processRecords(
    event,
    async (record) => {
      const receives = Number(record.attributes.ApproximateReceiveCount);
      const { taken, againAfterSeconds } = await takeReceipts(messages, parseReceipts(record.body), receives);
      for (const { receipt, outcome, messageId, message } of taken) {
        if (outcome === 'given_up') countMetric('UnknownReceipt');
        log[outcome === 'given_up' ? 'warn' : 'info']('receipt', {
          message_id: messageId,
          client_id: message?.client_id,
          carrier_message_id: message === undefined ? receipt.carrierMessageId : undefined,
          reported: receipt.transition.to,
          error_code: receipt.transition.errorCode,
          outcome,
          status: message?.status,
        });
      }
      return { againAfterSeconds };
    },
    postpone,
  );
}
