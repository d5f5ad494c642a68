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
import { startWebhookEndpoint, tokenOf, withoutWebhooks } from '../deploy/traffic.ts';
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

const twoStacks = `
import { App, CliCredentialsStackSynthesizer, Stack } from 'aws-cdk-lib';
import { MessagingGateway } from 'messaging-gateway';

const app = new App();
for (const name of ['Orders', 'Billing']) {
  const stack = new Stack(app, name, { synthesizer: new CliCredentialsStackSynthesizer() });
  new MessagingGateway(stack, 'Messaging', { stage: 'local' });
}
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
  const fronts: { close(): Promise<void> }[] = [];
  /** Sends a message by the gateway, and waits for its webhooks. */
  const use = async (folder: string, stackName: string, { ApiId: apiId = '' }: Outputs) => {
    const front = await startFront(0);
    fronts.push(front);
    front.open({ endpoint: emulator.endpoint, apiId });
    const baseUrl = `http://127.0.0.1:${front.port}`;
    const { clientId, clientSecret } = await newClient(shell, folder, stackName);
    const token = await tokenOf(baseUrl, clientId, clientSecret);
    const body = { to: '+447700900123', message: 'Hello', webhook_url: webhooks.url };
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`];
    const response = await shell(
      folder,
      'curl',
      '--silent',
      '--fail-with-body',
      ...headers.flatMap((header) => ['--header', header]),
      ...['--data', JSON.stringify(body), `${baseUrl}/api/v1/sms/send`],
    );
    assert.deepEqual(await withoutWebhooks(webhooks, [JSON.parse(response).message_id], 120), []);
    return { baseUrl, token };
  };
  let baseUrl = '';
  try {
    await step('construct: a stack of ten lines is deployed, and a message brings its webhooks', async () => {
      const folder = await projects.make(...peers);
      await writeFile(join(folder, 'app.mjs'), tenLines);
      await writeFile(join(folder, 'cdk.json'), '{"app":"node app.mjs"}');
      await shell(folder, 'npx', 'cdk', 'bootstrap');
      const { TenLines = {} } = await deployed(shell, folder);
      baseUrl = (await use(folder, 'TenLines', TenLines)).baseUrl;
    });
    await step(
      'construct: two stacks of one app have a gateway each, and a token is good for its own',
      async () => {
        const folder = await projects.make(...peers);
        await writeFile(join(folder, 'app.mjs'), twoStacks);
        await writeFile(join(folder, 'cdk.json'), '{"app":"node app.mjs"}');
        const { Orders = {}, Billing = {} } = await deployed(shell, folder);
        const { token } = await use(folder, 'Orders', Orders);
        const other = await use(folder, 'Billing', Billing);
        const headers = { Authorization: `Bearer ${token}` };
        assert.equal((await fetch(`${other.baseUrl}/api/v1/account`, { headers })).status, 401);
      },
    );
    await step('construct: the sample of a gateway is a second one in the account', async () => {
      const folder = await projects.copy('gateway');
      await onEmulator(folder);
      const { PlatformMessaging = {} } = await deployed(shell, folder);
      assert.match(PlatformMessaging.MessagesTable ?? '', /^PlatformMessaging-messages$/);
      await use(folder, 'PlatformMessaging', PlatformMessaging);
    });
    await step('construct: the sample of events calls its function with a message that failed', async () => {
      const gateway = await projects.make(...peers);
      const { clientId, clientSecret } = await newClient(shell, gateway, 'TenLines');
      const folder = await projects.copy('events');
      await onEmulator(folder);
      const other = shellFor(emulator, otherAccount);
      const context = ['-c', `gatewayAccount=${gatewayAccount}`, '-c', `clientId=${clientId}`];
      await other(folder, 'npx', 'cdk', 'bootstrap', ...context);
      const { ShopMessagingEvents = {} } = await deployed(other, folder, context);
      const { BusArn: bus_arn, RoleArn: role_arn } = ShopMessagingEvents;
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
    // It is more than half of a synthesis; the one on the oldest Node has it.
    CDK_VALIDATION: 'false',
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_REGION: emulatorAccess.region,
    AWS_ACCESS_KEY_ID: accessKeyId === gatewayAccount ? emulatorAccess.accessKeyId : accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorAccess.secretAccessKey,
  };
  return async (folder, command, ...words) =>
    (await run(command as string, words, { ...at(folder), env })).stdout;
}

type Outputs = Readonly<Record<string, string>>;

/** @returns the outputs of each stack of the app */
async function deployed(
  shell: Shell,
  folder: string,
  context: readonly string[] = [],
): Promise<Readonly<Record<string, Outputs>>> {
  const file = join(folder, 'outputs.json');
  await shell(
    folder,
    'npx',
    'cdk',
    'deploy',
    '--all',
    '--require-approval',
    'never',
    '--outputs-file',
    file,
    ...context,
  );
  return JSON.parse(await readFile(file, 'utf8'));
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
