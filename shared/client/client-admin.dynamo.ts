/** Composes the administration of clients from a gateway's tables, for the local gateway and the tests. */
import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoApiKeyStore } from './api-key-store.dynamo.ts';
import type { ClientAdminDependencies } from './client-admin.ts';
import { dynamoClientStore } from './client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from './webhook-secrets.dynamo.ts';

/**
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
