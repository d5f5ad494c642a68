/**
 * The clients of a new local gateway: one to try the API, one to administer it. A data folder keeps those of `npm start` over a
 * restart.
 */

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { aimAtEmulator } from '../lib/local/aim-at-emulator.ts';
import { type DemoClients, demoClientsSchema } from '../lib/local/connection.ts';
import { writeWhole } from '../lib/local/data-folder.ts';
import type { LocalGateway } from '../lib/local/gateway.ts';
import { StartFailure } from '../lib/local/start-failure.ts';
import { type ClientAdminDependencies, createApiKey, createClient } from '../shared/client/client-admin.ts';
import { dynamoApiKeyStore, dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from '../shared/client/webhook-secrets.dynamo.ts';
import { clientIdIn } from '../shared/contract/mode.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';

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

/** @throws StartFailure if the file is damaged: the secrets are stored nowhere else */
export async function readDemoClients(dataFolder: string | undefined): Promise<DemoClients | undefined> {
  if (dataFolder === undefined) return undefined;
  const file = fileIn(dataFolder);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return demoClientsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartFailure(
      `${file} is damaged. Nothing was changed. Restore it, or delete it to get new demo clients.`,
      { cause },
    );
  }
}

export async function demoClients(
  gateway: LocalGateway,
  kept: DemoClients | undefined,
  dataFolder: string | undefined,
): Promise<DemoClients> {
  aimAtEmulator(process.env, gateway.aws);
  const admin = dynamoClientAdmin(dynamo(), gateway.tables);
  // If the emulator of a first start was killed before it saved its state, the clients are only in the file.
  if (kept !== undefined && (await admin.clients.find(kept.client_id)) !== undefined) return kept;

  const created = await createDemoClients(admin, new Date());
  if (dataFolder !== undefined) await writeWhole(fileIn(dataFolder), JSON.stringify(created));
  return created;
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'demo-clients.json');
}
