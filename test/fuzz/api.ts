/**
 * `npm run test:release -- fuzz [examples per operation] [seed]`: schemathesis with all its checks against a gateway on this
 * machine, by the gateway's own OpenAPI document. A run that meets only limits fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { accessDenials } from '../support/gateway/every-log.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { newClient } from '../support/http/client.ts';
import { startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import { startFront } from './front.ts';
import { makeKnown } from './known.ts';

const [examples = '400', seed = '20261121'] = process.argv.slice(2);
const localFolder = join(import.meta.dirname, '../../.local');
const python = await pythonWithPackages(
  localFolder,
  () => console.log('Installing schemathesis (once)'),
  new AbortController().signal,
  join(import.meta.dirname, 'requirements.txt'),
);
const webhookEndpoint = await startWebhookEndpoint();
const gateway = await runGateway();
const front = await startFront(gateway.baseUrl);
try {
  const client = await newClient({ name: 'Fuzz' });
  const known = await makeKnown(client, webhookEndpoint.url);
  const status = await runSchemathesis({ FUZZ_API_KEY: client.apiKey, FUZZ_KNOWN: JSON.stringify(known) });
  const denials = await accessDenials();
  for (const denial of denials) console.log(denial);
  process.exitCode = status === 0 && denials.length === 0 ? 0 : 1;
} finally {
  await front.close();
  await gateway.stop();
  await webhookEndpoint.close();
}

/** @param variables - that the settings and the hooks read */
async function runSchemathesis(variables: Readonly<Record<string, string>>): Promise<number> {
  const words = [
    '-m',
    'schemathesis.cli',
    `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
    'run',
    `${front.baseUrl}/openapi.json`,
    '--checks=all',
    // The speed of a busy machine is not tested.
    '--max-response-time=120',
    '--request-timeout=120',
    '--continue-on-failure',
    `--max-examples=${examples}`,
    `--seed=${seed}`,
    // Several workers are slower than one in CPython.
    '--workers=1',
    '--no-color',
  ];
  const child = spawn(python, words, {
    stdio: 'inherit',
    cwd: localFolder,
    env: {
      ...process.env,
      ...variables,
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}
