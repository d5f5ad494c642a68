/** A local gateway for tests, which then reach it by `gateway()`: of a whole run, or of one file that disturbs others. */
import { join, resolve } from 'node:path';
import { createDemoClients, dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { aimAtEmulator } from '../../../lib/local/aim-at-emulator.ts';
import { connectionOf } from '../../../lib/local/connection.ts';
import { type LocalGateway, startLocalGateway } from '../../../lib/local/gateway.ts';
import { dynamo } from '../../../shared/platform/aws/clients.ts';
import { putAllLimits, unreachable } from '../rate-limit/put-limits.ts';

const localFolder = join(import.meta.dirname, '..', '..', '..', '.local');

/**
 * At 1000 the retries of a webhook wait 1, 1, 1, 4 and 22 s, the last of them by the scheduler, so that a run need
 * not wait four and a half minutes. `GATEWAY_TIME_SCALE=100` has them wait 1, 2, 6, 36 and 216 s, the last two by
 * the scheduler.
 */
const timeScale = Number(process.env.GATEWAY_TIME_SCALE ?? 1000);

/** @param carriers - in place of the simulated ones */
export async function runGateway(
  carriers?: Parameters<typeof startLocalGateway>[0]['carriers'],
): Promise<LocalGateway> {
  const gateway = await startLocalGateway({
    port: 0,
    timeScale,
    cacheFolder: localFolder,
    logFolder: join(localFolder, 'test'),
    environment: process.env,
    preload: recorder(),
    carriers,
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  aimAtEmulator(process.env, gateway.aws);
  const clients = await createDemoClients(dynamoClientAdmin(dynamo(), gateway.tables), new Date());
  // Every test that administers does so as this one client.
  await putAllLimits(dynamo(), gateway.tables.limit_overrides ?? '', clients.admin.client_id, unreachable);
  process.env.GATEWAY_UNDER_TEST = JSON.stringify({
    ...connectionOf(gateway, clients),
    emulator_pid: gateway.emulatorPid,
    time_scale: timeScale,
  });
  return gateway;
}

/** `AWS_CALLS_FILE` has every call to AWS written to that file, for `npm run test:release -- aws-inputs`. */
function recorder() {
  const file = process.env.AWS_CALLS_FILE;
  if (file === undefined) return undefined;
  return {
    file: join(import.meta.dirname, '..', '..', 'aws-inputs', 'record_calls.py'),
    environment: { AWS_CALLS_FILE: resolve(file) },
  };
}
