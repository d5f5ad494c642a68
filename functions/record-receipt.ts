/** Consumes the receipts queue: what carriers report about our messages, and messages that people send to us. */
import type { SQSEvent } from 'aws-lambda';
import { dynamoActivityLog } from '../shared/activity/activity-log.dynamo.ts';
import { type CarrierNotification, parseNotification } from '../shared/carrier/parse-notification.ts';
import { dynamoExistingClients } from '../shared/client/existing-clients.dynamo.ts';
import { dynamoAllRows } from '../shared/edited-table/row-editor.dynamo.ts';
import { recordReceipts } from '../shared/message/receipts/record-receipts.ts';
import { dynamoConversations } from '../shared/message/receive/conversations.dynamo.ts';
import { type ReceiveDependencies, receiveMessage } from '../shared/message/receive/receive-message.ts';
import { dynamoWhatsAppWindows } from '../shared/message/receive/whatsapp-window.dynamo.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
import { optOutAtCarrier } from '../shared/message/suppression/opt-out-at-carrier.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { changeVisibilityOn } from '../shared/platform/aws/change-visibility.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { countMetric } from '../shared/platform/metrics.ts';
import { processRecords } from '../shared/platform/process-queue-batch.ts';
import { numberOwners } from '../shared/sender/number-owners.ts';

const env = readEnvironment([
  ...messagesEnvironment,
  'RECEIPTS_QUEUE_URL',
  'SENDERS_TABLE',
  'CLIENTS_TABLE',
  'SUPPRESSIONS_TABLE',
  'WHATSAPP_WINDOWS_TABLE',
  'ACTIVITY_LOG_TABLE',
  'OPT_OUT_WORDS',
]);
const messages = messagesFrom(env);
const suppressions = dynamoSuppressionStore(dynamo(), env.SUPPRESSIONS_TABLE);
const receive: ReceiveDependencies = {
  messages,
  conversations: dynamoConversations(dynamo(), env.MESSAGES_TABLE, messages),
  ownerOfNumber: numberOwners(
    dynamoAllRows(dynamo(), env.SENDERS_TABLE),
    dynamoExistingClients(dynamo(), env.CLIENTS_TABLE),
    systemClock,
  ),
  suppressions,
  windows: dynamoWhatsAppWindows(dynamo(), env.WHATSAPP_WINDOWS_TABLE),
  optOutWords: env.OPT_OUT_WORDS,
  activityLog: dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
};
const record = { messages, recordOptOut: optOutAtCarrier(suppressions) };
const changeVisibility = changeVisibilityOn(sqs(), env.RECEIPTS_QUEUE_URL);

export function handler(event: SQSEvent) {
  return processRecords(
    event,
    async ({ body, attributes }) => {
      const { receipts, inbound, unreadable } = readNotification(body);
      const receives = Number(attributes.ApproximateReceiveCount);
      const { recorded, retryAfterSeconds } = await recordReceipts(record, receipts, receives);
      for (const { receipt, outcome, messageId, message } of recorded) {
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
      for (const each of inbound) {
        const { message, outcome } = await receiveMessage(receive, each);
        const { message_id, client_id, channel, opt_keyword } = message;
        log.info('inbound', { message_id, client_id, channel, opt_keyword, outcome });
      }
      // The others of this queue message are done, and a repeat does not change them.
      const [first] = unreadable;
      if (first !== undefined) {
        countMetric('UnreadableNotification');
        throw first;
      }
      return { retryAfterSeconds };
    },
    changeVisibility,
  );
}

/** Counted at once: the queue sets it aside after its last delivery only, so that a release that can read it may. */
function readNotification(body: string): CarrierNotification {
  try {
    return parseNotification(body);
  } catch (error) {
    countMetric('UnreadableNotification');
    throw error;
  }
}
