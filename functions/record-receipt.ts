/** Consumes the receipts queue: receipts and inbound messages from carriers. */

import type { SQSEvent } from 'aws-lambda';
import { carrierReports } from '#carrier-reports';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { readReport } from '../shared/carrier/queued-report.ts';
import { dynamoExistingClients } from '../shared/client/client-store.dynamo.ts';
import { expectedPrice, readPrices } from '../shared/contract/prices.ts';
import { dynamoAllRows } from '../shared/edited-table/row-editor.dynamo.ts';
import { recordReceipts } from '../shared/message/dispatch/record-receipts.ts';
import type { Message } from '../shared/message/message.ts';
import { type ReceiveDependencies, receiveMessages } from '../shared/message/receive-message.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { changeVisibilityOn } from '../shared/platform/aws/queues.sqs.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { processRecords } from '../shared/platform/process-queue-batch.ts';
import { numberOwners } from '../shared/sender/number-owners.ts';

const env = environmentOf<'record-receipt'>();
const suppressions = dynamoSuppressionStore(dynamo(), env.SUPPRESSIONS_TABLE);
const context = contextOf(env);
const receive: ReceiveDependencies = {
  ...context,
  numbers: numberOwners(
    dynamoAllRows(dynamo(), env.SENDERS_TABLE),
    dynamoExistingClients(dynamo(), env.CLIENTS_TABLE),
    systemClock,
  ),
  suppressions,
  optOutWords: env.OPT_OUT_WORDS,
  activityLog: activityLogFrom(env),
};
const prices = readPrices(env.PRICES_FILE);
const record = {
  ...context,
  recordOptOut: suppressions.noteRefusal,
  priceOf: (message: Message) => expectedPrice(prices, message),
};
const changeVisibility = changeVisibilityOn(sqs(), env.RECEIPTS_QUEUE_URL);

export function handler(event: SQSEvent) {
  return processRecords(
    event,
    async ({ body, attributes }) => {
      const { receipts, inbound, unreadable } = readReport(carrierReports, body);
      const receives = Number(attributes.ApproximateReceiveCount);
      const recording = await recordReceipts(record, receipts, receives);
      for (const { receipt, outcome, messageId, message } of recording.recorded) {
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
      const receiving = await receiveMessages(receive, inbound, receives);
      for (const { message, outcome } of receiving.received) {
        const { message_id, client_id, channel, opt_keyword } = message;
        log.info('inbound', { message_id, client_id, channel, opt_keyword, outcome });
      }
      // The other reports of this queue message are processed. A repetition changes nothing.
      const [first] = [...unreadable, ...recording.failures, ...receiving.failures];
      if (first !== undefined) throw first;
      return { retryAfterSeconds: recording.retryAfterSeconds ?? receiving.retryAfterSeconds };
    },
    changeVisibility,
  );
}
