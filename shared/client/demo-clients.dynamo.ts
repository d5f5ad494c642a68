/** The clients that a new local gateway comes with: one to try the API, one to administer it. */
import { createHash, randomBytes } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Scope } from '../routes.ts';

export interface DemoClients {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly webhook_secret: string;
  readonly admin: { readonly client_id: string; readonly client_secret: string };
}

/** The tables that clients are kept in, by name. */
export interface ClientTables {
  readonly clients: string;
  readonly clientSecrets: string;
  readonly apiKeys: string;
}

const text = (): string => randomBytes(32).toString('base64url');
const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Creates both clients, with an API key for the first. */
export async function createDemoClients(
  dynamo: DynamoDBDocumentClient,
  tables: ClientTables,
  now: Date,
): Promise<DemoClients> {
  const created_at = now.toISOString();
  const create = async (name: string, scopes: readonly Scope[]) => {
    const client_id = `client_${randomBytes(8).toString('hex')}`;
    const client_secret = text();
    const webhook_secret = `whsec_${randomBytes(32).toString('base64')}`;
    await dynamo.send(
      new PutCommand({
        TableName: tables.clientSecrets,
        Item: { client_id, webhook_secrets: [{ secret: webhook_secret, created_at }] },
      }),
    );
    const secrets = [{ hash: hash(client_secret), created_at }];
    await dynamo.send(
      new PutCommand({
        TableName: tables.clients,
        Item: { client_id, name, scopes, disabled: false, secrets, created_at },
      }),
    );
    return { client_id, client_secret, webhook_secret };
  };
  const demo = await create('Demo', ['messages']);
  const { client_id, client_secret } = await create('Demo admin', ['admin']);
  const api_key = `sk-${text()}`;
  await dynamo.send(
    new PutCommand({
      TableName: tables.apiKeys,
      Item: { key_hash: hash(api_key), key_id: api_key.slice(0, 8), client_id: demo.client_id, created_at },
    }),
  );
  return { ...demo, api_key, admin: { client_id, client_secret } };
}
