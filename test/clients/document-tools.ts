/** Linters, a fuzzer, a mock server and OAuth libraries agree with the API document. */
import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addSeconds } from '../../shared/platform/clock.ts';
import { endpointsMax } from '../../shared/webhook/webhook-endpoint.ts';
import { startCountingFront } from '../fuzz/counting-front.ts';
import { tallyOfAnswers } from '../fuzz/tally.ts';
import { gateway } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import { mockFaults } from './mock.ts';
import type { Steps } from './steps.ts';
import { at, document, made, npmFolder, npmTool, pythonWith, run } from './tools.ts';

export interface Credentials {
  readonly BASE_URL: string;
  readonly CLIENT_ID: string;
  readonly CLIENT_SECRET: string;
}

interface RedoclyResult {
  readonly problems: readonly { ruleId: string; message: string; ignored?: boolean }[];
  readonly totals: { readonly ignored: number };
}

/** @param text - of the document */
export async function documentSteps(
  { step }: Steps,
  { text, credentials }: { readonly text: string; readonly credentials: Credentials },
): Promise<void> {
  await step('Redocly, its recommended rules', async () => {
    // The one finding that is a decision is in this file, with its reason.
    await cp(join(import.meta.dirname, 'redocly-ignore.yaml'), join(npmFolder, '.redocly.lint-ignore.yaml'));
    const options = ['--format=json', '--max-problems=1000'];
    const { stdout } = await npmTool('redocly', 'lint', ...options, document).catch(
      (failure: { stdout: string }) => failure,
    );
    const { problems, totals } = JSON.parse(stdout) as RedoclyResult;
    const found = problems.filter(({ ignored }) => ignored !== true);
    if (found.length > 0)
      throw new Error(found.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
    // An entry that nothing needs any more is to be removed.
    assert.equal(totals.ignored, 1);
  });
  await step('Spectral, its rules for OpenAPI', async () => {
    await writeFile(join(made, 'spectral.yaml'), 'extends: spectral:oas\n');
    await npmTool('spectral', 'lint', '--fail-severity=hint', '-r', join(made, 'spectral.yaml'), document);
  });
  await step('Prism answers as the document says', () =>
    mockFaults(join(npmFolder, 'node_modules/.bin/prism'), document, text),
  );
  await step('openid-client and oauth4webapi find, request and verify tokens', async () => {
    await cp(join(import.meta.dirname, 'discover.mjs'), join(npmFolder, 'discover.mjs'));
    await run('node', ['discover.mjs'], { ...at(npmFolder), env: { ...process.env, ...credentials } });
  });
}

/** @param examples - cases for each operation */
export async function fuzzStep({ step }: Steps, examples: string): Promise<void> {
  await step(`schemathesis: what the document allows is accepted, ${examples} cases an operation`, () =>
    acceptsWhatItAllows(examples),
  );
}

async function acceptsWhatItAllows(examples: string): Promise<void> {
  const client = await newClient({ name: 'Schemathesis' });
  const message = { to: '+447700900123', message: 'Hello' };
  for (let sent = 0; sent < 2; sent += 1) await client.send(message);
  const page = await client.call('GET', '/api/v1/messages?limit=1');
  await disabledEndpoints(client, endpointsMax - 1);
  await writeFile(join(made, 'times-ahead.txt'), timesAhead());
  // Webhooks are acknowledged, or their retries would slow the machine down.
  const endpoint = await startWebhookEndpoint();
  const tally = tallyOfAnswers();
  const front = await startCountingFront(gateway().base_url, tally);
  try {
    await runSchemathesis(examples, front.baseUrl, {
      API_KEY: client.apiKey,
      CURSOR: String(page.body.next_cursor),
      WEBHOOK_ENDPOINT: endpoint.url,
    });
  } finally {
    for (const line of tally.lines()) console.log(line);
    front.close();
    await endpoint.close();
  }
}

/** Each message would be posted to all endpoints that the cases add; so there is room for one. */
async function disabledEndpoints(client: TestClient, number: number): Promise<void> {
  for (let made = 0; made < number; made += 1) {
    const { body } = await client.post('/api/v1/webhook-endpoints', { url: 'https://example.com/' });
    const path = `/api/v1/webhook-endpoints/${String(body.endpoint_id)}`;
    await client.call('PATCH', path, { body: { enabled: false } });
  }
}

/** Up to 170 days ahead, one in a line. */
function timesAhead(): string {
  const times = Array.from({ length: 200 }, (_, index) => addSeconds(new Date(), (index + 1) * 73_440));
  return times.map((time) => `"${time.toISOString()}"\n`).join('');
}

async function runSchemathesis(
  examples: string,
  baseUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const python = await pythonWith(join(import.meta.dirname, '../fuzz/requirements.txt'));
  const config = `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`;
  const checks = '--checks=positive_data_acceptance,not_a_server_error';
  const modes = ['--mode=positive', '--phases=fuzzing', '--continue-on-failure', '--no-color'];
  // One worker: several trip over each other in CPython. How long a busy machine takes is not what is asked.
  const pace = ['--workers=1', '--request-timeout=120'];
  const { stdout } = await run(
    python,
    [
      ...['-m', 'schemathesis.cli', config, 'run', document, '--url', baseUrl, checks],
      ...[...modes, ...pace, `--max-examples=${examples}`],
    ],
    {
      ...at(made),
      timeout: 3_600_000,
      env: {
        ...process.env,
        ...environment,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'formats.py'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  console.log(
    /^.*generated.*$/m.exec(stdout)?.[0].trim() ?? 'schemathesis does not say how many cases it made',
  );
}
