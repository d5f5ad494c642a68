/** Creates the clients of a new local gateway: one to try the API, one to administer it. */

import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { aimAtEmulator } from '../lib/local/aim-at-emulator.ts';
import type { DemoClients } from '../lib/local/connection.ts';
import type { LocalGateway } from '../lib/local/gateway.ts';
import { createApiKey, createClient } from '../shared/client/client-admin.ts';
import { clientIdIn } from '../shared/contract/mode.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';

export async function createDemoClients(
  dependencies: ReturnType<typeof dynamoClientAdmin>,
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
 * Creates the administration of clients for a gateway's tables, for the local gateway and the tests.
 *
 * @param tables - physical table names, by the names in the local gateway's output
 * @throws Error if one of the three is missing
 */
export function dynamoClientAdmin(dynamo: DynamoDBDocumentClient, tables: Readonly<Record<string, string>>) {
  const table = (name: string): string => {
    const found = tables[name];
    if (found === undefined) throw new Error(`no table ${name}`);
    return found;
  };
  return {
    ...contextOf({
      CLIENTS_TABLE: table('clients'),
      CLIENT_SECRETS_TABLE: table('client_secrets'),
      API_KEYS_TABLE: table('api_keys'),
    }),
    db: dynamo,
    random: randomBytes,
  };
}

export async function demoClients(gateway: LocalGateway): Promise<DemoClients> {
  aimAtEmulator(process.env, gateway.aws);
  return await createDemoClients(dynamoClientAdmin(dynamo(), gateway.tables), new Date());
}
