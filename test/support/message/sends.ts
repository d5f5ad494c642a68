/** The use cases of the sends on private tables, called as the HTTP stack calls them, at a time of the test's own. */

import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Channel } from '../../../shared/contract/channels.ts';
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import type { ApiResponse, Operation } from '../../../shared/operation/operation.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { allowanceOf as noCaps } from '../doubles/no-caps.ts';
import { noSenders } from '../doubles/no-senders.ts';
import { inMemoryPace, inMemoryStores, storesIn } from '../engine/stores.ts';
import { testContext, withCalls } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';
import { type SendName, webhookUrl } from './ask-operation.ts';

export { type Asked, aClient, ask, type SendName, webhookUrl } from './ask-operation.ts';

export const sendNames: readonly SendName[] = ['sms', 'bulk', 'otp', 'whatsapp'];

interface SendOptions {
  /** Where the process dies. */
  readonly kill?: Kill;
  readonly allowanceOf?: AllowanceOf;
  /** Decides about the calls of the database. */
  readonly around?: Parameters<typeof withCalls>[1];
  /** The countries of clients without a list of their own. */
  readonly stageCountries?: readonly string[] | undefined;
  readonly channelsOff?: readonly Channel[];
  /** Default: no rows of senders. */
  readonly sendersOf?: typeof noSenders.sendersOf;
}

/** The four sends of one process. */
export function sendsIn(
  tables: TestTables,
  {
    kill = noKill(),
    allowanceOf = noCaps,
    around = (_call, run) => run(),
    stageCountries,
    channelsOff,
    sendersOf,
  }: SendOptions = {},
): Record<SendName, Operation> {
  const ctx = withCalls({ ...testContext(tables), db: killable(tables.dynamo, kill) }, around);
  const { batches, otps, otpSends } = storesIn({ ...tables, dynamo: ctx.db });
  const senders = { ...noSenders, ...(sendersOf && { sendersOf }) };
  const common = { ...ctx, allowanceOf, stageCountries, channelsOff, ...senders, webhookUrl };
  return {
    sms: sendSms(common),
    bulk: sendBulkSms({ ...common, batches, pace: inMemoryPace() }),
    otp: sendOtp({ ...common, otps, otpSends }),
    whatsapp: sendWhatsApp(common),
  };
}

/** The four sends on fresh tables in memory. */
export function inMemorySends(options: SendOptions = {}) {
  const { context, tables, messages, otps } = inMemoryStores();
  return { operations: sendsIn(tables, options), context, messages, otps };
}

/** The smallest request of each send to one recipient. */
export function smallRequest(name: SendName, to: string): Record<string, unknown> {
  if (name === 'otp') return { to };
  return name === 'bulk' ? { message: 'Hello', recipients: [to] } : { message: 'Hello', to };
}

/** The response's bytes. */
export function bytesOf(response: ApiResponse): string {
  return JSON.stringify(response.body);
}

/** Every row of a table that belongs to the client. */
export async function rowsOf(
  { dynamo: client }: TestTables,
  TableName: string,
  clientId: string,
): Promise<Record<string, unknown>[]> {
  const ofClient = {
    TableName,
    ConsistentRead: true,
    FilterExpression: 'client_id = :client',
    ExpressionAttributeValues: { ':client': clientId },
  };
  const pages = await Array.fromAsync(paginateScan({ client }, ofClient));
  return pages.flatMap(({ Items = [] }) => Items);
}
