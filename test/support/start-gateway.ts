/** One emulator with the local stage deployed, for the whole run; what a test needs of it goes by environment. */
import { join } from 'node:path';
import { connectionOf } from '../../lib/local/connection.ts';
import { type LocalGateway, startLocalGateway } from '../../lib/local/gateway.ts';
import { dynamo } from '../../shared/aws.ts';
import { dynamoClientAdmin } from '../../shared/client/client-admin.dynamo.ts';
import { createDemoClients } from '../../shared/client/demo-clients.ts';
import { synthesizeTables } from './synthesize-tables.ts';

declare global {
  var gatewayUnderTest: LocalGateway | undefined;
}

const localFolder = join(import.meta.dirname, '..', '..', '.local');

/** A retry that waits 30 s takes one here, and the one of 6 h three and a half minutes. */
const timeScale = 100;

export default async function startGateway(): Promise<void> {
  const gateway = await startLocalGateway({
    port: 0,
    timeScale,
    cacheFolder: localFolder,
    logFolder: join(localFolder, 'test'),
    environment: process.env,
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  globalThis.gatewayUnderTest = gateway;
  const { aws, tables } = gateway;
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.access_key_id,
    AWS_SECRET_ACCESS_KEY: aws.secret_access_key,
  });
  const clients = await createDemoClients(dynamoClientAdmin(dynamo(), tables), new Date());
  process.env.GATEWAY_UNDER_TEST = JSON.stringify({
    ...connectionOf(gateway, clients),
    emulator_pid: gateway.emulatorPid,
  });
  process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
}
