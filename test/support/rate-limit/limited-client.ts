/** Clients whose limits a test edits: rows of the table of clients, with nothing but an id. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { TestTables } from '../engine/test-tables.ts';

export const noon = new Date('2026-11-20T12:00:05.000Z');
export const endpoint = 'POST /api/v1/sms/send';

let clients = 0;

export async function limitedClient({ dynamo, names }: TestTables): Promise<string> {
  clients += 1;
  const client_id = `client_${clients}`;
  await dynamo.send(new PutCommand({ TableName: names.clients, Item: { client_id } }));
  return client_id;
}
