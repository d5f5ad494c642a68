/** The use cases of the sends on private tables, called as the HTTP stack calls them, at a time of the test's own. */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { AllowanceOf } from '../../../shared/cap/allowance.ts';
import { dynamoBatchStore } from '../../../shared/message/send/batch-store.dynamo.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { ApiResponse, Operation } from '../../../shared/operation/operation.ts';
import { dynamoOtpStore } from '../../../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { memorySenderPace } from '../doubles/memory-sender-pace.ts';
import { allowanceOf as noCaps } from '../doubles/no-caps.ts';
import { noSenders } from '../doubles/no-senders.ts';
import type { TestTables } from '../engine/tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';
import { type SendName, webhookUrl } from './ask-operation.ts';

export { type Asked, aClient, ask, type SendName, webhookUrl } from './ask-operation.ts';

export const retentionDays = 30;

export function storesIn({ dynamo, names }: TestTables) {
  return {
    messages: dynamoMessageStore(dynamo, { tableName: names.messages, retentionDays }),
    batches: dynamoBatchStore(dynamo, { tableName: names.batches, retentionDays }),
    otps: dynamoOtpStore(dynamo, names.one_time_passwords),
  };
}

/** The four sends of one process, which dies by `kill`. */
export function sendsIn(
  tables: TestTables,
  kill: Kill = noKill(),
  allowanceOf: AllowanceOf = noCaps,
  messageStore?: MessageStore,
): Record<SendName, Operation> {
  const stores = storesIn(tables);
  const messages = killable(messageStore ?? stores.messages, kill);
  const batches = killable(stores.batches, kill);
  const otps = killable(stores.otps, kill);
  return {
    sms: sendSms({ messages, allowanceOf, ...noSenders, webhookUrl }),
    bulk: sendBulkSms({ messages, batches, allowanceOf, ...noSenders, webhookUrl, pace: memorySenderPace() }),
    otp: sendOtp({ messages, otps, allowanceOf, ...noSenders, webhookUrl }),
    whatsapp: sendWhatsApp({ messages, allowanceOf, ...noSenders, webhookUrl }),
  };
}

/** The response's bytes. */
export function bytesOf(response: ApiResponse): string {
  return JSON.stringify(response.body);
}

/** Every row of a table that belongs to the client. */
export async function rowsOf(
  { dynamo }: TestTables,
  TableName: string,
  clientId: string,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new ScanCommand({
        TableName,
        ConsistentRead: true,
        FilterExpression: 'client_id = :client',
        ExpressionAttributeValues: { ':client': clientId },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    rows.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return rows;
}
