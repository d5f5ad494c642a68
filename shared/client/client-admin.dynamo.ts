/** The administration of clients on the real tables, for the command line and the local gateway. */
import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoApiKeyStore } from './api-key-store.dynamo.ts';
import type { ClientAdminDependencies } from './client-admin.ts';
import { dynamoClientStore } from './client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from './webhook-secret-store.dynamo.ts';

/**
 * @param tables - physical names by the names that a local gateway gives them
 * @throws Error when one of the three is not among them
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
