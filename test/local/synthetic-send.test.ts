/** Synthetic sends of a deployed gateway, with IAM enforced. `template/synthetic-send` shows its schedule. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { afterAll, expect, it } from '@jest/globals';
import { type LocalGateway, startLocalGateway } from '../../lib/local/gateway.ts';
import { eventually } from '../support/gateway/gateway.ts';

const logFolder = await mkdtemp(join(tmpdir(), 'messaging-gateway-synthetic-'));
let gateway: LocalGateway | undefined;
let logs: CloudWatchLogsClient | undefined;
afterAll(async () => {
  logs?.destroy();
  await gateway?.stop();
  await rm(logFolder, { recursive: true, force: true });
});

/** The lines of the function, each run of which writes one. */
async function runs(client: CloudWatchLogsClient): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName } of logGroups.filter((group) => group.logGroupName?.includes('SyntheticSend')))
      for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName }))
        for (const { message = '' } of events)
          if (message.includes('"message":"synthetic send"')) found.push(JSON.parse(message));
  }
  return found;
}

async function runNow(client: LambdaClient): Promise<void> {
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    for (const { FunctionName } of Functions.filter((one) => one.FunctionName?.includes('SyntheticSend')))
      await client.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
}

it('delivers a message at each run by the public address, with a secret that the function makes', async () => {
  gateway = await startLocalGateway({
    port: 0,
    timeScale: 1,
    carriers: { settings: { syntheticSend: true }, secrets: {} },
    cacheFolder: join(import.meta.dirname, '..', '..', '.local'),
    logFolder,
    environment: process.env,
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  const { endpoint, region, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = gateway.aws;
  const config = { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  const client = new CloudWatchLogsClient(config);
  logs = client;
  const lambda = new LambdaClient(config);
  // A run may begin before the address leads to the gateway, or end before a slow machine has delivered its message.
  const delivered = await eventually(async () => {
    await runNow(lambda);
    const some = (await runs(client)).filter(({ outcome }) => outcome === 'delivered');
    return some.length >= 2 ? some : undefined;
  });
  lambda.destroy();
  expect(new Set(delivered.map(({ message_id }) => message_id)).size).toBe(delivered.length);
});
