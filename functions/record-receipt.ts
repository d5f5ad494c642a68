/** Consumes the receipts queue: receipts and inbound messages from carriers. */

import type { SQSEvent } from 'aws-lambda';
import { carrierReports } from '#carrier-reports';
import { readReport } from '../shared/carrier/receive-callback.ts';
import { existingClients } from '../shared/client/client-store.dynamo.ts';
import { expectedPrice, readPrices } from '../shared/contract/prices.ts';
import { readAllEditedRows } from '../shared/edited-table/row-editor.dynamo.ts';
import { type ReceiptContext, recordReceipts } from '../shared/message/dispatch/record-receipts.ts';
import { type InboundContext, receiveMessages } from '../shared/message/receive-message.ts';
import { changeVisibilityOn } from '../shared/platform/aws/queues.sqs.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { processRecords } from '../shared/platform/process-queue-batch.ts';
import { numberOwners } from '../shared/sender/number-owners.ts';
import { senderTable } from '../shared/sender/sender-row.ts';

const env = environmentOf<'record-receipt'>();
const context = contextOf(env);
const { clock } = context;
const prices = readPrices(env.PRICES_FILE);
const recording: ReceiptContext = { ...context, priceOf: (message) => expectedPrice(prices, message) };
const receiving: InboundContext = {
  ...context,
  numbers: numberOwners(
    { allRows: () => readAllEditedRows(context, senderTable) },
    (ids) => existingClients(context, ids),
    clock,
  ),
};

export function handler(event: SQSEvent) {
  return processRecords(
    event,
    async ({ body, attributes }) => {
      const { receipts, inbound, unreadable } = readReport(carrierReports, body);
      const receives = Number(attributes.ApproximateReceiveCount);
      const recorded = await recordReceipts(recording, receipts, receives);
      for (const { receipt, outcome, messageId, message } of recorded.recorded) {
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
      const received = await receiveMessages(receiving, inbound, receives);
      for (const { message, outcome } of received.received) {
        const { message_id, client_id, channel, opt_keyword } = message;
        log.info('inbound', { message_id, client_id, channel, opt_keyword, outcome });
      }
      // Throws only after all other reports of this queue message are processed. A repetition changes nothing.
      const [first] = [...unreadable, ...recorded.failures, ...received.failures];
      if (first !== undefined) throw first;
      return { retryAfterSeconds: recorded.retryAfterSeconds ?? received.retryAfterSeconds };
    },
    changeVisibilityOn(context.sqs(), env.RECEIPTS_QUEUE_URL),
  );
}
