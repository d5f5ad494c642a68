/** One emulator with the local stage deployed, for the whole run; tests get its addresses by environment variables. */
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connectionOf } from '../../../lib/local/connection.ts';
import { aimAtEmulator } from '../../../lib/local/environment.ts';
import { type LocalGateway, startLocalGateway } from '../../../lib/local/gateway.ts';
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { createDemoClients } from '../../../shared/client/demo-clients.ts';
import { dynamo } from '../../../shared/platform/aws/clients.ts';
import { announceEngine } from '../engine/engine.ts';
import { synthesizeTables, type TableDefinition } from '../engine/synthesize-tables.ts';

declare global {
  var gatewayUnderTest: LocalGateway | undefined;
}

const localFolder = join(import.meta.dirname, '..', '..', '..', '.local');

/**
 * At 1000 the retries of a webhook wait 1, 1, 1, 4 and 22 s, the last of them by the scheduler, so that a run need
 * not wait four and a half minutes. `GATEWAY_TIME_SCALE=100` has them wait 1, 2, 6, 36 and 216 s, the last two by
 * the scheduler.
 */
const timeScale = Number(process.env.GATEWAY_TIME_SCALE ?? 1000);

export default async function startGateway(): Promise<void> {
  const gateway = await startLocalGateway({
    port: 0,
    timeScale,
    cacheFolder: localFolder,
    logFolder: join(localFolder, 'test'),
    environment: process.env,
    preload: recorder(),
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  globalThis.gatewayUnderTest = gateway;
  aimAtEmulator(process.env, gateway.aws);
  const clients = await createDemoClients(dynamoClientAdmin(dynamo(), gateway.tables), new Date());
  gateway.showDemoClient(clients);
  process.env.GATEWAY_UNDER_TEST = JSON.stringify({
    ...connectionOf(gateway, clients),
    emulator_pid: gateway.emulatorPid,
    time_scale: timeScale,
  });
  announceEngine({
    endpoint: gateway.aws.endpoint,
    region: gateway.aws.region,
    credentials: { accessKeyId: gateway.aws.access_key_id, secretAccessKey: gateway.aws.secret_access_key },
  });
  const tables = synthesizeTables();
  process.env.TABLES_UNDER_TEST = JSON.stringify(tables);
  recordKeys(tables);
}

/** `AWS_CALLS_FILE` has every call to AWS written to that file, for `npm run test:aws-inputs`. */
function recorder() {
  const file = process.env.AWS_CALLS_FILE;
  if (file === undefined) return undefined;
  return {
    file: join(import.meta.dirname, '..', '..', 'aws-inputs', 'record_calls.py'),
    environment: { AWS_CALLS_FILE: resolve(file) },
  };
}

/** By table and attribute, which kind of key it is: the length of a key depends on it. */
function recordKeys(definitions: readonly TableDefinition[]): void {
  const file = process.env.AWS_CALLS_FILE;
  if (file === undefined) return;
  const tables = definitions.map(({ name, input }) => {
    const indexes = input.GlobalSecondaryIndexes ?? [];
    const keys = [...(input.KeySchema ?? []), ...indexes.flatMap(({ KeySchema = [] }) => KeySchema)];
    // What is a key of both kinds must be short enough for a sort key.
    const kinds = ['HASH', 'RANGE'].flatMap((kind) =>
      keys.filter(({ KeyType }) => KeyType === kind).map(({ AttributeName }) => [AttributeName, kind]),
    );
    return [name.replaceAll('_', '-'), Object.fromEntries(kinds)];
  });
  appendFileSync(file, `${JSON.stringify({ tables: Object.fromEntries(tables) })}\n`);
}
