/** The clients that a new local gateway comes with: one to try the API, one to administer it. */
import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoApiKeyStore } from './api-key-store.dynamo.ts';
import { type ClientAdminParts, createApiKey, createClient } from './client-admin.ts';
import { dynamoClientStore } from './client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from './webhook-secret-store.dynamo.ts';

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

/** Creates both clients, with an API key for the first. */
export async function createDemoClients(
  dynamo: DynamoDBDocumentClient,
  tables: ClientTables,
  now: Date,
): Promise<DemoClients> {
  const parts: ClientAdminParts = {
    clients: dynamoClientStore(dynamo, tables.clients),
    apiKeys: dynamoApiKeyStore(dynamo, tables.apiKeys),
    webhookSecrets: dynamoWebhookSecretStore(dynamo, tables.clientSecrets),
    random: randomBytes,
  };
  const demo = await createClient(parts, { name: 'Demo', scopes: ['messages'] }, now);
  const admin = await createClient(parts, { name: 'Demo admin', scopes: ['admin'] }, now);
  const { apiKey } = await createApiKey(parts, demo.client.client_id, now);
  return {
    client_id: demo.client.client_id,
    client_secret: demo.clientSecret,
    api_key: apiKey,
    webhook_secret: demo.webhookSecret,
    admin: { client_id: admin.client.client_id, client_secret: admin.clientSecret },
  };
}
