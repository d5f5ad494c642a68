/**
 * The package and the samples as a platform team has them: installed in empty folders, deployed by the CDK's command line to the
 * emulator, used by HTTP. What differs from AWS is in `onEmulator`.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { type Emulator, emulatorAccess, startEmulator } from '../../lib/local/emulator.ts';
import { startFront } from '../../lib/local/front.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import type { Steps } from '../clients/steps.ts';
import { at, root, run } from '../clients/tools.ts';
import { sendOne, startWebhookEndpoint, tokenOf, withoutWebhooks } from '../deploy/traffic.ts';
import type { Projects } from './projects.ts';

const localFolder = join(root, '.local');
/** The emulator takes an access key of twelve digits for the account of that number. */
const otherAccount = '111122223333';
const gatewayAccount = '000000000000';

const tenLines = `
import { App, CliCredentialsStackSynthesizer, Stack } from 'aws-cdk-lib';
import { MessagingGateway } from 'messaging-gateway';

const stack = new Stack(new App(), 'TenLines', { synthesizer: new CliCredentialsStackSynthesizer() });
new MessagingGateway(stack, 'Messaging', { stage: 'local' });
`;

/** Edits an app for the emulator: its set of defaults, and the credentials that may write to the bucket. */
async function onEmulator(folder: string): Promise<void> {
  const file = join(folder, 'app.ts');
  const source = await readFile(file, 'utf8');
  const edited = source
    .replace("stage: 'dev'", "stage: 'local'")
    .replace(/import \{ App, /, 'import { App, CliCredentialsStackSynthesizer, ')
    .replace(
      /(new Stack\(new App\(\), '\w+')\)/,
      '$1, { synthesizer: new CliCredentialsStackSynthesizer() })',
    );
  assert.notEqual(edited, source);
  await writeFile(file, edited);
}

type Shell = (folder: string, ...command: string[]) => Promise<string>;

export async function emulatorSteps(
  { step }: Steps,
  projects: Projects,
  peers: readonly string[],
): Promise<void> {
  const logFolder = join(localFolder, 'construct');
  await mkdir(logFolder, { recursive: true });
  const { signal } = new AbortController();
  const emulator = await startEmulator({
    python: await pythonWithPackages(localFolder, console.log, signal),
    logFile: join(logFolder, 'emulator.log'),
    searchPath: process.env.PATH ?? '',
    signal,
  });
  const webhooks = await startWebhookEndpoint();
  const shell = shellFor(emulator, gatewayAccount);
  let baseUrl = '';
  const fronts: { close(): Promise<void> }[] = [];
  try {
    await step('construct: a stack of ten lines is deployed, and a message brings its webhooks', async () => {
      const folder = await projects.make(...peers);
      await writeFile(join(folder, 'app.mjs'), tenLines);
      await writeFile(join(folder, 'cdk.json'), '{"app":"node app.mjs"}');
      await shell(folder, 'npx', 'cdk', 'bootstrap');
      const outputs = await deployed(shell, folder, 'TenLines');
      const front = await startFront(0);
      fronts.push(front);
      front.open({ endpoint: emulator.endpoint, apiId: outputs.ApiId ?? '' });
      baseUrl = `http://127.0.0.1:${front.port}`;
      const { clientId, clientSecret } = await newClient(shell, folder, 'TenLines');
      const response = await sendOne(baseUrl, await tokenOf(baseUrl, clientId, clientSecret), webhooks.url);
      assert.equal(response.status, 202);
      const { message_id } = (await response.json()) as { message_id: string };
      assert.deepEqual(await withoutWebhooks(webhooks, [message_id], 120), []);
    });
    await step('construct: the sample of a gateway is a second one in the account', async () => {
      const folder = await projects.copy('gateway');
      await onEmulator(folder);
      const outputs = await deployed(shell, folder, 'PlatformMessaging');
      assert.match(outputs.MessagesTable ?? '', /^PlatformMessaging-messages$/);
      await newClient(shell, folder, 'PlatformMessaging');
    });
    await step('construct: the sample of events calls its function with a message that failed', async () => {
      const gateway = await projects.make(...peers);
      const { clientId, clientSecret } = await newClient(shell, gateway, 'TenLines');
      const folder = await projects.copy('events');
      await onEmulator(folder);
      const other = shellFor(emulator, otherAccount);
      const context = ['-c', `gatewayAccount=${gatewayAccount}`, '-c', `clientId=${clientId}`];
      await other(folder, 'npx', 'cdk', 'bootstrap', ...context);
      const { BusArn: bus_arn, RoleArn: role_arn } = await deployed(
        other,
        folder,
        'ShopMessagingEvents',
        context,
      );
      const token = await tokenOf(baseUrl, clientId, clientSecret);
      const post = (path: string, body: object) =>
        fetch(`${baseUrl}/api/v1/${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        });
      const created = await post('webhook-endpoints', { eventbridge: { bus_arn, role_arn } });
      assert.equal(created.status, 201, await created.text());
      const sent = await post('sms/send', { to: '+15005550001', message: 'Hello' });
      const { message_id } = (await sent.json()) as { message_id: string };
      assert.match(await logged(emulator, message_id), /"message failed"/);
    });
  } finally {
    webhooks.close();
    for (const front of fronts) await front.close();
    await emulator.stop();
  }
}

function shellFor(emulator: Emulator, accessKeyId: string): Shell {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: process.env.HOME,
    CI: 'true',
    NO_COLOR: '1',
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_REGION: emulatorAccess.region,
    AWS_ACCESS_KEY_ID: accessKeyId === gatewayAccount ? emulatorAccess.accessKeyId : accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorAccess.secretAccessKey,
  };
  return async (folder, command, ...words) =>
    (await run(command as string, words, { ...at(folder), env })).stdout;
}

/** @returns the outputs of the stack */
async function deployed(
  shell: Shell,
  folder: string,
  stackName: string,
  context: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const file = join(folder, 'outputs.json');
  await shell(
    folder,
    'npx',
    'cdk',
    'deploy',
    '--require-approval',
    'never',
    '--outputs-file',
    file,
    ...context,
  );
  return JSON.parse(await readFile(file, 'utf8'))[stackName];
}

async function newClient(shell: Shell, folder: string, stackName: string) {
  const command = [
    'messaging-gateway-admin',
    '--stack-name',
    stackName,
    'clients',
    'create',
    '--name',
    'Shop',
  ];
  const output = await shell(folder, 'npx', ...command);
  const [, clientId = ''] = /^client id +(\S+)$/m.exec(output) ?? [];
  const [, clientSecret = ''] = /^client secret +(\S+)$/m.exec(output) ?? [];
  assert.notEqual(clientId, '', output);
  return { clientId, clientSecret };
}

const waitsMax = 300;

/** The line about a message that a function of the other account logged. */
async function logged({ endpoint }: Emulator, messageId: string): Promise<string> {
  const { region, secretAccessKey } = emulatorAccess;
  const credentials = { accessKeyId: otherAccount, secretAccessKey };
  const client = new CloudWatchLogsClient({ endpoint, region, credentials });
  try {
    for (let waits = 0; waits < waitsMax; waits += 1) {
      const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({}));
      for (const { logGroupName } of logGroups) {
        const { events = [] } = await client.send(new FilterLogEventsCommand({ logGroupName }));
        const line = events.find(({ message = '' }) => message.includes(messageId));
        if (line !== undefined) return line.message ?? '';
      }
      await pause(500);
    }
    return 'nothing';
  } finally {
    client.destroy();
  }
}
