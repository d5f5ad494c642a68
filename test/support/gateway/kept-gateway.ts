/** A gateway of its own that keeps a data folder, and what it accepted. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDemoClients, dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import type { DemoClients } from '../../../lib/local/connection.ts';
import { type LocalGateway, startLocalGateway } from '../../../lib/local/gateway.ts';
import { documentClient } from '../../../shared/platform/aws/clients.ts';
import { putAllLimits, unreachable } from '../rate-limit/put-limits.ts';
import { eventually } from './gateway.ts';

const localFolder = join(import.meta.dirname, '..', '..', '..', '.local');

export function startKept(dataFolder: string, logFolder: string): Promise<LocalGateway> {
  return startLocalGateway({
    port: 0,
    dataFolder,
    timeScale: 1,
    cacheFolder: localFolder,
    logFolder,
    environment: process.env,
    progress: () => undefined,
    signal: new AbortController().signal,
  });
}

/** Clients without limits that a test could reach. */
export async function clientsOf({ aws, tables }: LocalGateway): Promise<DemoClients> {
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const { endpoint, region } = aws;
  const dynamo = documentClient(new DynamoDBClient({ endpoint, region, credentials }));
  const clients = await createDemoClients(dynamoClientAdmin(dynamo, tables), new Date());
  await putAllLimits(dynamo, tables.limit_overrides ?? '', clients.client_id, unreachable);
  return clients;
}

/** The numbers of the generations that are complete, oldest first. */
export async function generations(dataFolder: string): Promise<readonly number[]> {
  const names = await readdir(join(dataFolder, 'state')).catch(() => []);
  return names
    .flatMap((name) => /^generation-(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** The process of the emulator that uses the folder, as soon as there is one. */
export function emulatorOf(dataFolder: string): Promise<number> {
  return eventually(
    async () => Number(await readFile(join(dataFolder, 'emulator-pid'), 'utf8').catch(() => '')) || undefined,
  );
}

/** Lets a process write no more than this into any file: the least that a full disk does. */
export function limitFiles(pid: number, bytes: number): void {
  const program =
    'import resource,sys; p,n=map(int,sys.argv[1:]); resource.prlimit(p,resource.RLIMIT_FSIZE,(n,-1))';
  const { status, stderr } = spawnSync('python3', ['-c', program, String(pid), String(bytes)]);
  if (status !== 0) throw new Error(String(stderr));
}
