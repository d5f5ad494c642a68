/** The clients of a new local gateway: one to try the API, one to administer it. */
import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientIdIn } from '../contract/mode.ts';
import { type ClientAdminDependencies, createApiKey, createClient } from './client-admin.ts';
import { dynamoApiKeyStore, dynamoClientStore } from './client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from './webhook-secrets.dynamo.ts';

/** The local gateway prints them in this form (contract, section 9). */
export interface DemoClients {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  /** Absent in a data folder of an earlier release. */
  readonly test_api_key?: string | undefined;
  readonly webhook_secret: string;
  readonly admin: { readonly client_id: string; readonly client_secret: string };
}

export async function createDemoClients(
  dependencies: ClientAdminDependencies,
  now: Date,
): Promise<DemoClients> {
  const demo = await createClient(dependencies, { name: 'Demo', scopes: ['messages'] }, now);
  const { apiKey } = await createApiKey(dependencies, demo.client.client_id, now);
  const test = await createApiKey(dependencies, clientIdIn('test', demo.client.client_id), now);
  const admin = await createClient(dependencies, { name: 'Demo admin', scopes: ['admin'] }, now);
  return {
    client_id: demo.client.client_id,
    client_secret: demo.clientSecret,
    api_key: apiKey,
    test_api_key: test.apiKey,
    webhook_secret: demo.webhookSecret,
    admin: { client_id: admin.client.client_id, client_secret: admin.clientSecret },
  };
}

/**
 * Composes the administration of clients from a gateway's tables, for the local gateway and the tests.
 *
 * @param tables - physical table names, by the names in the local gateway's output
 * @throws Error if one of the three is missing
 */
export function dynamoClientAdmin(
  dynamo: DynamoDBDocumentClient,
  tables: Readonly<Record<string, string>>,
): ClientAdminDependencies {
  const table = (name: string): string => {
    const found = tables[name];
    if (found === undefined) throw new Error(`no table ${name}`);
    return found;
  };
  return {
    clients: dynamoClientStore(dynamo, table('clients')),
    apiKeys: dynamoApiKeyStore(dynamo, table('api_keys')),
    webhookSecrets: dynamoWebhookSecretStore(dynamo, table('client_secrets')),
    random: randomBytes,
  };
}
