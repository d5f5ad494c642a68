/** The clients in `clients/`: current, built, installed as their users install them, and used against the running gateway. */
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MessagingGateway } from '../../clients/typescript/src/gateway.ts';
import { verifyWebhook } from '../../clients/typescript/src/webhook.ts';
import { tokenThatExpires } from '../support/clients/signed-token.ts';
import { startUnreliableFront } from '../support/clients/unreliable-front.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { newClient, type TestClient, withTestKey } from '../support/http/client.ts';
import { type ReceivedPost, startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import { generateClients, installTypescriptTools, pythonForClients } from './generate-clients.ts';
import type { Steps } from './steps.ts';
import { at, compiles, made, npmTool, root, run } from './tools.ts';

const typescript = join(root, 'clients/typescript');
const python = join(root, 'clients/python');

export async function ownClientSteps({ step }: Steps): Promise<void> {
  await step('our clients are generated from this document', async () => {
    for (const [path, text] of await generateClients())
      assert.equal(await readFile(join(root, path), 'utf8'), text, `${path}: npm run clients:generate`);
  });
  const typescriptFolder = join(made, 'typescript-user');
  await step(
    'our TypeScript client is packed, and its quick start ends with a verified webhook',
    async () => {
      await installTypescriptTools();
      await mkdir(typescriptFolder);
      await writeFile(join(typescriptFolder, 'package.json'), '{"private":true,"type":"module"}');
      await run('npm', ['pack', '--pack-destination', typescriptFolder], at(typescript));
      await runQuickStart('typescript', typescriptFolder, process.env.PATH);
      await hasLicence(join(typescriptFolder, 'node_modules/messaging-gateway-client/LICENSE'));
    },
  );
  await step('our TypeScript client compiles in a strict program that checks its declarations', async () => {
    const file = join(typescriptFolder, 'program.mts');
    await writeFile(file, typescriptProgram);
    await compiles(file);
  });
  await step('publint and attw find no fault in our TypeScript client', async () => {
    const tarball = (await readdir(typescriptFolder)).find((name) => name.endsWith('.tgz')) ?? '';
    await npmTool('publint', '--strict', join(typescriptFolder, tarball));
    await npmTool('attw', '--format', 'ascii', join(typescriptFolder, tarball));
  });
  await step('our Python client is linted, typed, and keeps its promises', async () => {
    const interpreter = await pythonForClients();
    const check = (...args: string[]) => run(interpreter, ['-m', ...args], at(python));
    await check('ruff', 'check', '--no-cache', '.');
    await check('ruff', 'format', '--no-cache', '--check', '.');
    await check('mypy', '--cache-dir', join(made, 'mypy'), 'src');
    await run(interpreter, ['-m', 'unittest', 'discover', '-s', 'tests'], {
      ...at(python),
      env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
    });
  });
  const pythonFolder = join(made, 'python-user');
  const venv = join(pythonFolder, 'venv');
  await step('our Python client is a wheel, and its quick start ends with a verified webhook', async () => {
    await mkdir(pythonFolder);
    await run(await pythonForClients(), ['-m', 'venv', venv], at(pythonFolder));
    await run(join(venv, 'bin/pip'), ['wheel', '-q', '--no-deps', '-w', pythonFolder, python], at(made));
    const path = `${join(venv, 'bin')}:${process.env.PATH}`;
    await runQuickStart('python', pythonFolder, path);
    const find =
      'from importlib.metadata import files; print(*(str(f.locate()) for f in files("messaging-gateway-client") if f.name == "LICENSE"))';
    const { stdout } = await run(join(venv, 'bin/python'), ['-c', find], at(made));
    await hasLicence(stdout.trim());
  });
  const pythonOfUser = join(venv, 'bin/python');
  await step('our Python client renews an expired token, sends once, and reads all pages', () =>
    usePythonClient(pythonOfUser),
  );
  await step('our clients verify every webhook of a rotation of the secret', () =>
    verifyRotation(pythonOfUser),
  );
}

async function hasLicence(installed: string): Promise<void> {
  assert.equal(await readFile(installed, 'utf8'), await readFile(join(root, 'LICENSE'), 'utf8'));
}

/** What a user of the package may write: the types of arguments, answers, errors and events are exact. */
const typescriptProgram = `
import { ApiError, MessagingGateway, verifyWebhook, type AnyWebhookEvent, type Message } from 'messaging-gateway-client';

const gateway = new MessagingGateway({ baseUrl: 'https://gateway.test', clientId: 'a', clientSecret: 'b' });
export async function use(): Promise<void> {
  const sent = await gateway.sms.send({ to: '+447700900123', message: 'Hello' }, { idempotencyKey: 'one' });
  const segments: number = sent.segments;
  for await (const message of gateway.messages.list({ status: 'failed' })) {
    const item: Message = message;
    console.log(item.error?.code, segments);
  }
  const { next_cursor } = await gateway.messages.list();
  const event: AnyWebhookEvent = verifyWebhook('{}', new Headers(), ['old', 'new']);
  if (event.event === 'sms.delivered') console.log(event.data.delivered_at, next_cursor);
  if (event.event === 'sms.received') console.log(event.data.text);
  if (event.event === 'webhook_endpoint.disabled') console.log(event.data.endpoint_id);
  const dryRun = await gateway.sms.dryRunBulk({ message: 'Hello', recipients: ['+447700900123'] });
  console.log(dryRun.estimated_cost);
  // @ts-expect-error: there is no such field
  await gateway.sms.send({ to: '+447700900123', text: 'Hello' });
  // @ts-expect-error: a look-up takes no idempotency key
  await gateway.account.get({ idempotencyKey: 'one' });
}
export const codeOf = (error: unknown): string => (error instanceof ApiError ? error.error : '');
`;

/** The quick start of a package's README: installs the package that is in the folder, writes the program, and runs it. */
async function runQuickStart(
  language: 'typescript' | 'python',
  folder: string,
  path: string | undefined,
): Promise<void> {
  const client = await withTestKey(await newClient({ name: 'Quick start', limits: 'default' }));
  const readme = await readFile(join(root, 'clients', language, 'README.md'), 'utf8');
  const [, section = ''] = readme.split(/^## Quick start$/m);
  const blocks = section.matchAll(/^```\w+\n(?<code>.*?)\n```$/gms);
  const [install = '', program = '', start = ''] = Array.from(blocks, ({ groups }) => groups?.code);
  await writeFile(join(folder, start.split(' ').at(-1) ?? ''), `${program}\n`);
  const commands = `${install}\n${start}`;
  const { stdout } = await run('bash', ['-eu', '-c', commands], {
    ...at(folder),
    env: {
      ...process.env,
      PATH: path,
      BASE_URL: client.baseUrl,
      TOKEN: client.apiKey,
      WEBHOOK_SECRET: client.webhookSecret,
      PORT: String(await freePort()),
      PYTHONUNBUFFERED: '1',
    },
  });
  const messageId = /^queued (msg_\w+)$/m.exec(stdout)?.[1];
  assert.ok(messageId !== undefined, stdout);
  assert.match(stdout, new RegExp(`^sms\\.delivered ${messageId}$`, 'm'));
}

async function usePythonClient(interpreter: string): Promise<void> {
  const client = await newClient({ name: 'Python client' });
  const token = await client.call('POST', '/api/v1/auth/token', {
    body: {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      grant_type: 'client_credentials',
    },
  });
  const firstToken = await tokenThatExpires(-600, String(token.body.access_token));
  const front = await startUnreliableFront(client.baseUrl, {
    firstToken,
    losesAnswerOf: '/api/v1/whatsapp/send',
  });
  try {
    await run(interpreter, [join(import.meta.dirname, 'live_client.py')], {
      ...at(made),
      env: {
        ...process.env,
        BASE_URL: front.baseUrl,
        CLIENT_ID: client.clientId,
        CLIENT_SECRET: client.clientSecret,
      },
    });
    assert.deepEqual(
      front.answers.slice(0, 4).map(({ path, status }) => [path, status]),
      [
        ['/api/v1/auth/token', 200],
        ['/api/v1/sms/send', 401],
        ['/api/v1/auth/token', 200],
        ['/api/v1/sms/send', 202],
      ],
    );
    const [lost, replay] = front.answersOf('/api/v1/whatsapp/send');
    assert.deepEqual(
      [lost?.isLost, replay?.isReplay, replay?.body, replay?.idempotencyKey],
      [true, true, lost?.body, lost?.idempotencyKey],
    );
  } finally {
    await front.close();
  }
}

/** What each secret alone and both together accept, before the new secret signs and while both do. */
async function verifyRotation(interpreter: string): Promise<void> {
  const endpoint = await startWebhookEndpoint();
  try {
    const client = await newClient({ name: 'Rotation', webhookUrl: endpoint.url });
    const gateway = new MessagingGateway({ ...client, apiKey: undefined });
    const { webhook_secret: newSecret, active_at } = await gateway.account.rotateWebhookSecret();
    const before = await postOf(client, gateway, endpoint);
    await pause(Math.max(0, Date.parse(active_at) - Date.now()) + 1000);
    const after = await postOf(client, gateway, endpoint);
    const secrets = [[client.webhookSecret], [newSecret], [client.webhookSecret, newSecret]];
    const cases = [before, after].flatMap(({ bytes, headers }) =>
      secrets.map((given) => ({ body: bytes.toString('utf8'), headers, secrets: given })),
    );
    const expected = [true, false, true, true, true, true];
    const byTypescript = cases.map(({ body, headers, secrets }) => {
      try {
        return verifyWebhook(body, headers, secrets).event.startsWith('sms.');
      } catch {
        return false;
      }
    });
    assert.deepEqual(byTypescript, expected);
    const verify = join(import.meta.dirname, 'verify_webhooks.py');
    await cp(verify, join(made, 'verify_webhooks.py'));
    await writeFile(join(made, 'webhooks.json'), JSON.stringify(cases));
    const { stdout } = await run(interpreter, ['verify_webhooks.py', 'webhooks.json'], at(made));
    assert.deepEqual(JSON.parse(stdout), expected);
  } finally {
    await endpoint.close();
  }
}

async function postOf(
  client: TestClient,
  gateway: MessagingGateway,
  endpoint: Awaited<ReturnType<typeof startWebhookEndpoint>>,
): Promise<ReceivedPost> {
  const { message_id } = await gateway.sms.send({ to: '+447700900123', message: `From ${client.clientId}` });
  await endpoint.eventsOnce(message_id, 2);
  const [post] = endpoint.postsOf(message_id);
  if (post === undefined) throw new Error('no post');
  return post;
}
