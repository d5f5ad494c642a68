/**
 * `npm run test:fuzz [examples per operation] [seed]`: a gateway started on this machine against its own OpenAPI document,
 * by schemathesis with all its checks: no 5xx, no answer that the document does not know. Limits are out of the way, so
 * that what is met is the operations and not the limiter. Ends with schemathesis's own status.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { dynamo } from '../../shared/aws.ts';
import { dynamoOverrideEditor } from '../../shared/rate-limit/overrides.dynamo.ts';
import { type PolicyName, policies } from '../../shared/routes.ts';
import { gateway } from '../support/gateway.ts';
import startGateway from '../support/start-gateway.ts';
import stopGateway from '../support/stop-gateway.ts';

const [examples = '400', seed = '20261120'] = process.argv.slice(2);
const localFolder = join(import.meta.dirname, '../../.local');
const python = await pythonWithPackages(
  localFolder,
  () => console.log('Installing schemathesis (once)'),
  new AbortController().signal,
  join(import.meta.dirname, 'requirements.txt'),
);
await startGateway();
try {
  const { base_url, api_key, client_id, tables } = gateway();
  const { limit_overrides: table } = tables;
  if (table === undefined) throw new Error('the gateway has no table of limits');
  const overrides = dynamoOverrideEditor(dynamo(), table);
  const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 10_000_000 };
  for (const policy of Object.keys(policies) as PolicyName[]) await overrides.set(client_id, policy, limits);
  const child = spawn(
    python,
    [
      '-m',
      'schemathesis.cli',
      `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
      'run',
      `${base_url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${api_key}`,
      '--checks=all',
      `--max-examples=${examples}`,
      `--seed=${seed}`,
      '--workers=4',
      '--request-timeout=20',
      '--no-color',
    ],
    { stdio: 'inherit', cwd: localFolder },
  );
  const [status] = (await once(child, 'exit')) as [number | null];
  process.exitCode = status ?? 1;
} finally {
  await stopGateway();
}
