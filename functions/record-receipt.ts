/** Consumes the receipts queue: records what carriers report about messages. */
import type { SQSEvent } from 'aws-lambda';
import { parseReceipts } from '../shared/carrier/parse-receipts.ts';
import { takeReceipts } from '../shared/message/receipts/take-receipts.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
import { changeVisibilityOn } from '../shared/platform/aws/change-visibility.sqs.ts';
import { sqs } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { countMetric } from '../shared/platform/metrics.ts';
import { processRecords } from '../shared/platform/process-queue-batch.ts';

const env = readEnvironment([...messagesEnvironment, 'RECEIPTS_QUEUE_URL']);
const messages = messagesFrom(env);
const changeVisibility = changeVisibilityOn(sqs(), env.RECEIPTS_QUEUE_URL);

export function handler(event: SQSEvent) {
  return processRecords(
    event,
    async (record) => {
      const receives = Number(record.attributes.ApproximateReceiveCount);
      const { taken, retryAfterSeconds } = await takeReceipts(messages, parseReceipts(record.body), receives);
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
      return { retryAfterSeconds };
    },
    changeVisibility,
  );
}
