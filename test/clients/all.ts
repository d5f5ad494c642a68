/**
 * `npm run test:clients`: the API document of a gateway started on this machine, as other people's tools take it. Linters
 * find nothing; generators make clients that compile, and that call every operation; a mock server and libraries for
 * OAuth agree with it. Tools are fetched into `.local/clients`. Ends with 0 where every step that could run has passed.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { newClient } from '../support/http/client.ts';
import { mockFaults } from './mock.ts';
import { sampleSteps } from './samples.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = join(root, '.local/clients');
const npmFolder = join(folder, 'npm');
const made = join(folder, 'made');
const document = join(made, 'openapi.json');
const generatorVersion = '7.24.0';
const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const npmTools = [
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  '@stoplight/prism-cli@5.14.2',
  '@hey-api/openapi-ts@0.95.0',
  'orval@7.13.2',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'oauth4webapi@3.8.8',
  'openid-client@6.8.9',
  'typescript@5.9.3',
  '@types/node@24.19.2',
  'axios@1.13.2',
];
const compile = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'].concat(
  ['--moduleResolution', 'bundler', '--lib', 'es2022,dom'],
);
const generators = {
  go: ['--git-user-id', 'example', '--git-repo-id', 'client'],
  java: ['--library', 'native'],
  python: [],
  'typescript-fetch': [],
} as const;

/** `npm run test:clients -- 1000`: over 10,000 cases, in a quarter of an hour. */
const [examples = '50'] = process.argv.slice(2);

const counts = { passed: 0, failed: 0, skipped: 0 };

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  try {
    await work();
    counts.passed += 1;
    console.log(`passed   ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  } catch (error) {
    counts.failed += 1;
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as { stdout?: string; stderr?: string; message: string };
    console.log(`FAILED   ${name}: ${message}\n${stdout}${stderr}`.slice(0, 8000));
  }
}

/** As `step`; where a command is missing it says so. */
async function stepWith(
  commands: readonly string[],
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  for (const command of commands) {
    const found = await run('which', [command]).then(
      () => true,
      () => false,
    );
    if (found) continue;
    counts.skipped += 1;
    console.log(`SKIPPED  ${name}: ${command} is not on the path`);
    return;
  }
  await step(name, work);
}

const at = (cwd: string) => ({ cwd, maxBuffer: 64 * 1024 * 1024, timeout: 900_000 });
const npmTool = (name: string, ...args: string[]) =>
  run(join(npmFolder, 'node_modules/.bin', name), args, at(npmFolder));

await mkdir(npmFolder, { recursive: true });
await rm(made, { recursive: true, force: true });
await mkdir(made, { recursive: true });
await writeFile(join(npmFolder, 'package.json'), '{"private":true,"type":"module"}');
console.log('Fetching the tools');
await run('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...npmTools], at(npmFolder));
const environmentOf = (requirements: string): Promise<string> =>
  pythonWithPackages(folder, () => undefined, new AbortController().signal, requirements);
const python = await environmentOf(join(import.meta.dirname, 'requirements.txt'));

await startGateway();
try {
  const { clientId, clientSecret } = await newClient({ name: 'Clients' });
  const { base_url } = gateway();
  const environment = {
    ...process.env,
    BASE_URL: base_url,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  };
  const text = await (await fetch(`${base_url}/openapi.json`)).text();
  await writeFile(document, text);

  await step('Redocly, its recommended rules', () =>
    npmTool('redocly', 'lint', '--max-problems=0', document).then(noWarning),
  );
  await step('Spectral, its rules for OpenAPI', async () => {
    await writeFile(join(made, 'spectral.yaml'), 'extends: spectral:oas\n');
    await npmTool('spectral', 'lint', '--fail-severity=hint', '-r', join(made, 'spectral.yaml'), document);
  });
  await step(
    `schemathesis: what the document allows is accepted, ${examples} cases an operation`,
    async () => {
      const client = await newClient({ name: 'Schemathesis' });
      const message = { to: '+447700900123', message: 'Hello' };
      for (let sent = 0; sent < 2; sent += 1) await client.send(message);
      const page = await client.call('GET', '/api/v1/messages?limit=1');
      const config = `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`;
      const checks = '--checks=positive_data_acceptance,not_a_server_error';
      const modes = ['--mode=positive', '--phases=fuzzing', '--continue-on-failure', '--no-color'];
      await run(
        await environmentOf(join(import.meta.dirname, '../fuzz/requirements.txt')),
        [
          '-m',
          'schemathesis.cli',
          config,
          'run',
          document,
          '--url',
          base_url,
          checks,
          ...modes,
          `--max-examples=${examples}`,
        ],
        {
          ...at(made),
          timeout: 3_600_000,
          env: {
            ...process.env,
            API_KEY: client.apiKey,
            CURSOR: String(page.body.next_cursor),
            SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'formats.py'),
            PYTHONDONTWRITEBYTECODE: '1',
          },
        },
      );
    },
  );
  await step('Prism answers as the document says', () =>
    mockFaults(join(npmFolder, 'node_modules/.bin/prism'), document, text),
  );
  await step('openid-client and oauth4webapi find, request and verify tokens', async () => {
    await cp(join(import.meta.dirname, 'discover.mjs'), join(npmFolder, 'discover.mjs'));
    await run('node', ['discover.mjs'], { ...at(npmFolder), env: environment });
  });
  await step('openapi-typescript and openapi-fetch call every operation', async () => {
    await npmTool('openapi-typescript', document, '-o', join(npmFolder, 'schema.d.ts'));
    await cp(join(import.meta.dirname, 'use_typescript.mts'), join(npmFolder, 'use_typescript.mts'));
    await npmTool('tsc', ...compile, '--types', 'node', 'use_typescript.mts');
    await run('node', ['use_typescript.mts'], { ...at(npmFolder), env: environment });
  });
  await step('hey-api makes a client that compiles', async () => {
    await npmTool('openapi-ts', '-i', document, '-o', join(npmFolder, 'hey-api'));
    await npmTool('tsc', ...compile, 'hey-api/index.ts');
  });
  await step('orval makes a client that compiles', async () => {
    await npmTool('orval', '--input', document, '--output', join(npmFolder, 'orval/client.ts'));
    await npmTool('tsc', ...compile, 'orval/client.ts');
  });
  await step('openapi-python-client calls every operation', async () => {
    const scripts = join(python, '..');
    const path = `${scripts}:${process.env.PATH}`;
    const output = join(made, 'python-client');
    await run(
      python,
      [
        '-m',
        'openapi_python_client',
        'generate',
        '--fail-on-warning',
        '--path',
        document,
        '--output-path',
        output,
      ],
      { ...at(made), env: { ...process.env, PATH: path } },
    );
    await run(python, [join(import.meta.dirname, 'use_python.py')], {
      ...at(made),
      env: { ...environment, PYTHONPATH: output, PYTHONDONTWRITEBYTECODE: '1' },
    });
  });
  await stepWith(['go'], 'oapi-codegen calls every operation', async () => {
    const module = join(made, 'oapi-codegen');
    await cp(join(import.meta.dirname, 'go'), module, { recursive: true });
    await mkdir(join(module, 'gateway'));
    await run('go', ['run', codegen, '-config', 'oapi-codegen.yaml', document], at(module));
    await run('go', ['run', '.'], { ...at(module), env: environment });
  });
  const jar = join(
    homedir(),
    `.m2/repository/org/openapitools/openapi-generator-cli/${generatorVersion}/openapi-generator-cli-${generatorVersion}.jar`,
  );
  await stepWith(['java', 'mvn'], 'openapi-generator takes the document', async () => {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`;
    await run('mvn', ['-q', 'dependency:get', artifact], at(made));
    await run('java', ['-jar', jar, 'validate', '-i', document], at(made));
  });
  const withRequests = await environmentOf(join(import.meta.dirname, '../fuzz/requirements.txt'));
  for (const { name, commands, work } of sampleSteps(withRequests, made))
    await stepWith(commands, name, work);
  const checks: Readonly<Record<keyof typeof generators, (output: string) => Promise<unknown>>> = {
    go: async (output) => {
      await run('go', ['mod', 'tidy'], at(output));
      return await run('go', ['build', './...'], at(output));
    },
    java: (output) => run('mvn', ['-q', 'compile', '-DskipTests'], at(output)),
    python: (output) => run(python, ['-m', 'compileall', '-q', 'openapi_client'], at(output)),
    'typescript-fetch': (output) => npmTool('tsc', ...compile, join(output, 'index.ts')),
  };
  for (const [name, options] of Object.entries(generators) as [
    keyof typeof generators,
    readonly string[],
  ][]) {
    const commands = ['java', ...(name === 'go' ? ['go'] : []), ...(name === 'java' ? ['mvn'] : [])];
    await stepWith(commands, `openapi-generator makes a client for ${name} that compiles`, async () => {
      const output = join(made, `openapi-generator-${name}`);
      await run(
        'java',
        ['-jar', jar, 'generate', '-i', document, '-g', name, '-o', output, ...options],
        at(made),
      );
      await checks[name](output);
    });
  }
} finally {
  await stopGateway();
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
if (counts.failed > 0) process.exitCode = 1;

function noWarning({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void {
  const text = stdout + stderr;
  if (/You have \d+ warning/.test(text)) throw Object.assign(new Error('warnings'), { stdout: text });
}
