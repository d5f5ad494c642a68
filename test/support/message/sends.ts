/** The use cases of the sends on private tables, called as the HTTP stack calls them, at a time of the test's own. */

import { type DynamoDBDocumentClient, type GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { sendBulkSms } from '../../../shared/message/send/send-bulk.ts';
import { sendSms } from '../../../shared/message/send/sms-send.ts';
import { sendWhatsApp } from '../../../shared/message/send/whatsapp-send.ts';
import type { ApiResponse, Operation } from '../../../shared/operation/operation.ts';
import { sendOtp } from '../../../shared/otp/send-password.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { type TestContext, testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';
import { type SendName, webhookUrl } from './ask-operation.ts';

export { type Asked, aClient, ask, type SendName, webhookUrl } from './ask-operation.ts';

export const sendNames: readonly SendName[] = ['sms', 'bulk', 'otp', 'whatsapp'];

interface SendOptions {
  /** Where the process dies. */
  readonly kill?: Kill;
  readonly clock?: Clock;
  /** The variables that are not as by default: no caps, all countries, no sender of the stage. */
  readonly env?: Partial<TestContext['env']>;
}

/** The four sends of one process. */
export function sendsIn(
  tables: TestTables,
  { kill = noKill(), ...parts }: SendOptions = {},
): Record<SendName, Operation> {
  const context = testContext({ ...tables, dynamo: dyingIn(tables, kill) }, parts);
  return {
    sms: sendSms(context, webhookUrl),
    bulk: sendBulkSms(context, webhookUrl),
    otp: sendOtp(context, webhookUrl),
    whatsapp: sendWhatsApp(context, webhookUrl),
  };
}

/**
 * The client of a process that dies at a call, not counting its reads of the rows that administrators edit. There are none
 * in a table that the test did not create.
 */
function dyingIn({ dynamo, names }: TestTables, kill: Kill): DynamoDBDocumentClient {
  const edited = [names.senders, names.limit_overrides, names.otp_holds];
  const dying = killable(dynamo, kill);
  const send = async (command: GetCommand) => {
    const { TableName } = command.input;
    const isList = ['QueryCommand', 'ScanCommand'].includes(command.constructor.name);
    if (TableName === undefined && isList) return { Items: [] };
    return (edited.includes(String(TableName)) ? dynamo : dying).send(command);
  };
  return Object.assign(Object.create(dynamo), { send });
}

/** The four sends on fresh tables in memory. */
export function inMemorySends(options: SendOptions = {}, tables = inMemoryTables()) {
  const { context, messages, otps } = inMemoryStores(tables);
  return { operations: sendsIn(tables, options), context, messages, otps, tables };
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
