/**
 * The packages that `npm run package` writes, installed in empty projects and used as their users do: in each module
 * system, test runner, runtime and version of Python, against a server that answers as a script says. Tools that judge
 * packages find nothing. The steps begin with `packed`, so that they can be chosen.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { clientQuickStart } from '../../lib/build/docs/client-quick-starts.ts';
import { acceptedSms } from '../support/clients/fault-server.ts';
import { type LocalServer, startServer } from '../support/http/local-server.ts';
import { pythonSteps } from './packages-python.ts';
import type { Steps } from './steps.ts';
import { at, programs, root, run } from './tools.ts';

const tools = {
  runners: ['vitest@5.1.1', 'jest@30.5.2'],
  deno: ['deno@2.9.6'],
  bun: ['bun@1.4.5'],
  edge: ['miniflare@4.20260426.0'],
  node: '@types/node@24.19.2',
  judges: ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'],
};
const typescriptVersions = ['5.0.4', '5.9.3', '7.0.2'];

export async function packageSteps({ step }: Steps): Promise<void> {
  const { url: baseUrl, close } = await startGateway();
  const made: string[] = [];
  /** An empty project with the tarball and these packages. */
  const project = async (...packages: string[]): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'packed-'));
    made.push(folder);
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const args = ['install', '--no-audit', '--no-fund', '--save-exact', await packed('.tgz'), ...packages];
    await run('npm', args, at(folder));
    return folder;
  };
  try {
    await step('packed: npm run package writes a tarball, a wheel and an sdist', async () => {
      await run('npm', ['run', '--silent', 'package'], at(root));
      for (const ending of ['.tgz', '.whl', '.tar.gz']) assert.ok(await packed(ending));
    });
    await step('packed: ESM, CommonJS and a bundle of esbuild', async () => {
      const folder = await project();
      const { esm, commonjs } = await writePrograms(folder, baseUrl);
      await says(folder, 'node', esm);
      await says(folder, 'node', commonjs);
      const bundle = join(folder, 'bundle.mjs');
      buildSync({
        entryPoints: [esm],
        outfile: bundle,
        bundle: true,
        format: 'esm',
        platform: 'neutral',
        mainFields: ['module', 'main'],
      });
      await rm(join(folder, 'node_modules'), { recursive: true });
      await says(folder, 'node', bundle);
    });
    await step('packed: Vitest and Jest', async () => {
      const folder = await project(...tools.runners);
      const { imports, requires, body } = await sources(baseUrl);
      const test = `test('the package', async () => { if ((await use()) !== 'OK') throw new Error('not OK'); });\n`;
      await writeFile(join(folder, 'a.spec.mjs'), `import { test } from 'vitest';\n${imports}${body}${test}`);
      await writeFile(join(folder, 'a.test.cjs'), `${requires}${body}${test}`);
      await run('npx', ['vitest', 'run', 'a.spec.mjs'], at(folder));
      await run('npx', ['jest', '--testMatch', '**/a.test.cjs'], at(folder));
    });
    await step('packed: Deno', async () => {
      const folder = await project(...tools.deno);
      const { esm } = await writePrograms(folder, baseUrl);
      await says(folder, 'npx', 'deno', 'run', '-A', '--node-modules-dir=manual', esm);
    });
    await step('packed: Bun', async () => {
      const folder = await project(...tools.bun);
      const { esm } = await writePrograms(folder, baseUrl);
      await says(folder, 'npx', 'bun', 'run', esm);
    });
    await step(
      'packed: an edge runtime, also after a handler that left while it waited for its token',
      async () => {
        const folder = await project(...tools.edge);
        const { imports, body } = await sources(baseUrl);
        const entry = join(folder, 'worker-source.mjs');
        await writeFile(entry, `${imports}${body}${worker(baseUrl)}`);
        const outfile = join(folder, 'worker.mjs');
        buildSync({
          entryPoints: [entry],
          outfile,
          bundle: true,
          format: 'esm',
          platform: 'neutral',
          mainFields: ['module', 'main'],
        });
        await writeFile(join(folder, 'main.mjs'), miniflare);
        await says(folder, 'node', 'main.mjs');
      },
    );
    await step('packed: publint and arethetypeswrong find nothing', async () => {
      const folder = await project(...tools.judges);
      const tarball = await packed('.tgz');
      const publint = await run('npx', ['publint', '--strict', tarball], at(folder));
      console.log(publint.stdout.trim());
      const attw = await run('npx', ['attw', '--format', 'ascii', tarball], at(folder));
      console.log(attw.stdout.trim());
    });
    for (const version of typescriptVersions)
      await step(`packed: TypeScript ${version}`, async () => {
        // The types of Node need a later one than 5.0.
        const folder = await project(
          `typescript@${version}`,
          ...(version.startsWith('5.0') ? [] : [tools.node]),
        );
        await compilesEverywhere(folder, version);
      });
    await pythonSteps({ step }, baseUrl, packed);
  } finally {
    await close();
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  }
}

/** The path of the client that `npm run package` wrote with this ending. */
async function packed(ending: string): Promise<string> {
  const name = (await readdir(join(root, 'dist'))).find(
    (one) => one.includes('client') && one.endsWith(ending),
  );
  if (name === undefined) throw new Error(`dist has no ${ending}: npm run package`);
  return join(root, 'dist', name);
}

async function sources(baseUrl: string) {
  const scenario = await readFile(join(programs, 'packed-scenario.mjs'), 'utf8');
  const name = 'messaging-gateway-client';
  return {
    imports: `import * as client from '${name}';\nimport * as testing from '${name}/testing';\n`,
    requires: `const client = require('${name}');\nconst testing = require('${name}/testing');\n`,
    body: `${scenario.replace('export ', '')}\nconst use = () => scenario(client, testing, '${baseUrl}');\n`,
  };
}

async function writePrograms(folder: string, baseUrl: string) {
  const { imports, requires, body } = await sources(baseUrl);
  const [esm, commonjs] = [join(folder, 'main.mjs'), join(folder, 'main.cjs')];
  const print = 'use().then((said) => console.log(said));\n';
  await writeFile(esm, `${imports}${body}${print}`);
  await writeFile(commonjs, `${requires}${body}${print}`);
  return { esm, commonjs };
}

async function says(folder: string, command: string, ...args: string[]): Promise<void> {
  const { stdout } = await run(command, args, { ...at(folder), timeout: 120_000 });
  assert.match(stdout, /^OK$/m);
}

/** `/leave` begins a call and does not wait for it; what it began never ends, and the next call must not wait for it. */
const worker = (baseUrl: string): string => `
const shared = new client.MessagingGateway({ baseUrl: '${baseUrl}', clientId: 'slow', clientSecret: 'secret' });
export default {
  async fetch(request) {
    const path = new URL(request.url).pathname;
    if (path === '/use') return new Response(await use());
    const sent = shared.sms.send({ to: '+447700900123', message: 'Hello' });
    if (path === '/leave') { sent.catch(() => undefined); return new Response('left'); }
    return new Response((await sent).status);
  },
};
`;

const miniflare = `
import { Miniflare } from 'miniflare';
const options = { modules: true, scriptPath: 'worker.mjs', compatibilityDate: '2026-01-01' };
const runtime = new Miniflare(options);
const answer = async (path) => (await runtime.dispatchFetch('http://worker.test' + path)).text();
const said = [await answer('/use'), await answer('/leave'), await answer('/send')];
await runtime.dispose();
console.log(said.join() === 'OK,left,queued' ? 'OK' : said.join());
`;

const typedProgram = `
import { ApiError, MessagingGateway, responseOf, verifyWebhook, type Message } from 'messaging-gateway-client';
import { fakeGateway } from 'messaging-gateway-client/testing';
export async function use(webhook_url: string | undefined, status: Message['status'] | undefined): Promise<string> {
  const gateway: MessagingGateway = fakeGateway().gateway;
  const sent = await gateway.sms.send({ to: '+447700900123', message: 'Hello', webhook_url });
  const page = await gateway.messages.list({ status }, { maxItems: 10 });
  const next = await page.nextPage();
  const event = verifyWebhook('{}', new Map<string, string>(), 'whsec_');
  if (event.event === 'sms.delivered') console.log(event.data.delivered_at, next?.messages.length);
  return responseOf(sent).requestId ?? sent.message_id;
}
export const codeOf = (error: unknown): string => (error instanceof ApiError ? error.error : '');
`;

/** As each module system and resolution that a project may have; TypeScript 7 has no `node10` any more. */
async function compilesEverywhere(folder: string, version: string): Promise<void> {
  for (const name of ['program.mts', 'program.cts', 'program.ts'])
    await writeFile(join(folder, name), typedProgram);
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
  const library = ['--lib', 'es2022,dom,dom.iterable'];
  const compile = (path: string, module: string, resolution: string, ...more: string[]) =>
    run(
      'npx',
      ['tsc', ...strict, ...library, '--module', module, '--moduleResolution', resolution, ...more, path],
      at(folder),
    );
  await compile('program.mts', 'node16', 'node16');
  await compile('program.cts', 'node16', 'node16');
  await compile('program.ts', 'esnext', 'bundler');
  if (!version.startsWith('7')) await compile('program.ts', 'commonjs', 'node10');
  if (version.startsWith('5.0')) return;
  const { file, program } = clientQuickStart('typescript');
  await writeFile(join(folder, file), program);
  await compile(file, 'node16', 'node16', '--allowJs', '--checkJs', '--types', 'node', '--skipLibCheck');
}

/** Accepts messages, refuses the recipient `1`, and limits `+429`; has an outbox for a test key; the first token of the client `slow` never comes. */
async function startGateway(): Promise<LocalServer> {
  let slowTokens = 0;
  const message = {
    ...acceptedSms,
    client_id: 'client_1',
    from: null,
    type: 'transactional',
    history: [],
    expires_at: acceptedSms.created_at,
  };
  const empty = {
    cost: null,
    currency: null,
    error: null,
    scheduled_at: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
  };
  const listed = { ...message, ...empty };
  const { message_id, created_at: at, recipient: to } = acceptedSms;
  const entry = { message_id, channel: 'sms', to, from: null, body: 'Hello', at };
  return await startServer(async (request, response) => {
    const give = (status: number, body: object): void => {
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'req_1' })
        .end(JSON.stringify(body));
    };
    const given = JSON.parse((await text(request)) || '{}');
    if (request.url === '/api/v1/auth/token') {
      if (given.client_id === 'slow') slowTokens += 1;
      if (given.client_id === 'slow' && slowTokens === 1) return;
      give(200, { access_token: 'token', token_type: 'bearer', expires_in: 3600 });
    } else if (request.url?.startsWith('/api/v1/test/outbox') === true) {
      const isTest = request.headers.authorization === 'Bearer sk-test-1';
      give(
        isTest ? 200 : 403,
        isTest ? { messages: [entry] } : { error: 'forbidden', message: 'No.', request_id: 'req_1' },
      );
    } else if (request.method === 'GET') {
      const isFirst = !request.url?.includes('cursor');
      give(200, isFirst ? { messages: [listed, listed], next_cursor: 'c1' } : { messages: [listed] });
    } else if (given.to === '1') {
      const details = [{ field: 'to', message: 'must be a phone number' }];
      give(400, { error: 'invalid_request', message: 'It is invalid.', request_id: 'req_1', details });
    } else if (given.to === '+429')
      give(429, { error: 'spend_limit_reached', message: 'Wait.', request_id: 'req_1', retry_after: 3600 });
    else give(202, acceptedSms);
  });
}
