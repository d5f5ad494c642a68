/** The use cases of the sends on private tables, called as the HTTP stack calls them, at a time of the test's own. */

import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { AllowanceOf } from '../../../shared/cap/allowance.ts';
import type { Client } from '../../../shared/client/client.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { dynamoBatchStore } from '../../../shared/message/send/batch-store.dynamo.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { ApiRequest, ApiResponse, Operation } from '../../../shared/operation/operation.ts';
import { dynamoOtpStore } from '../../../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { memorySenderPace } from '../doubles/memory-sender-pace.ts';
import { allowanceOf as noCaps } from '../doubles/no-caps.ts';
import { noSenders } from '../doubles/no-senders.ts';
import type { TestTables } from '../engine/tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

export const retentionDays = 30;
export const webhookUrl = z.url();
let clients = 0;

export function storesIn({ dynamo, names }: TestTables) {
  return {
    messages: dynamoMessageStore(dynamo, { tableName: names.messages, retentionDays }),
    batches: dynamoBatchStore(dynamo, { tableName: names.batches, retentionDays }),
    otps: dynamoOtpStore(dynamo, names.one_time_passwords),
  };
}

export type SendName = 'sms' | 'bulk' | 'otp' | 'whatsapp';

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

export function aClient(change: Partial<Client> = {}): Client {
  clients += 1;
  return {
    client_id: `client-${clients}`,
    name: 'A',
    scopes: ['messages'],
    disabled: false,
    secrets: [],
    created_at: '2026-11-01T00:00:00.000Z',
    ...change,
  };
}

export interface Asked {
  readonly client: Client;
  readonly now: Date;
  readonly body?: unknown;
  readonly key?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export function ask(operation: Operation, asked: Asked): Promise<ApiResponse> {
  const { client } = asked;
  const request: ApiRequest = {
    workId: randomUUID(),
    route: routes.sendSms,
    method: 'POST',
    path: '/',
    pathParameters: asked.pathParameters ?? {},
    query: asked.query ?? {},
    headers: asked.key === undefined ? {} : { 'idempotency-key': asked.key },
    body: asked.body,
    rawBody: '',
    sourceIp: '203.0.113.1',
    caller: { clientId: client.client_id, scopes: ['messages'], client },
    now: asked.now,
  };
  return operation(request);
}

/** The answer's bytes. */
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
