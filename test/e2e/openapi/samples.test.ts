/** The samples of the API reference, as they are on the page, run against the gateway that serves it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { operationIdOf } from '../../../lib/build/openapi/document.ts';
import { type OperationName, operations } from '../../../lib/build/openapi/operations.ts';
import { followQuickStart } from '../../support/docs/quick-start.ts';
import { runnableSamples } from '../../support/docs/samples.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { newClient, withTestKey } from '../../support/http/client.ts';

const run = promisify(execFile);

it('has one for curl of every operation, which succeeds', async () => {
  const samples = await runnableSamples(gateway().base_url, 'curl');
  expect(samples.map(({ operationId }) => operationId).toSorted()).toEqual(
    (Object.keys(operations) as OperationName[]).map(operationIdOf).toSorted(),
  );
  for (const { operationId, source, environment } of samples) {
    // A reader sees an error; a test needs an exit status.
    const script = `curl() { command curl -sS --fail-with-body "$@"; }\n${source}`;
    const { stdout } = await run('bash', ['-eu', '-c', script], { env: { ...process.env, ...environment } });
    // An operation may answer without a body.
    if (stdout !== '') expect([operationId, typeof JSON.parse(stdout)]).toEqual([operationId, 'object']);
  }
});

it('has one in TypeScript of every operation, which succeeds', async () => {
  const samples = await runnableSamples(gateway().base_url, 'typescript');
  expect(samples).toHaveLength(Object.keys(operations).length);
  const folder = await mkdtemp(join(tmpdir(), 'samples-'));
  try {
    for (const { operationId, source } of samples)
      await writeFile(join(folder, `${operationId}.mts`), source);
    // One process for all: most of the time of each would be its start.
    const program = samples
      .map(
        ({ operationId, environment }) =>
          `Object.assign(process.env, ${JSON.stringify(environment)});\nawait import('./${operationId}.mts');\nprocess.stderr.write('${operationId}\\n');`,
      )
      .join('\n');
    await writeFile(join(folder, 'all.mjs'), program);
    const { stderr } = await run(process.execPath, ['all.mjs'], { cwd: folder });
    expect(stderr.trim().split('\n')).toEqual(samples.map(({ operationId }) => operationId));
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('has a quick start that ends with verified webhooks', async () => {
  const { status, lines } = await followQuickStart(
    await withTestKey(await newClient({ name: 'Quick start', limits: 'default' })),
    'typescript',
  );
  expect(status).toMatchObject({ mode: 'test', status: 'delivered', recipient: '+447700900123' });
  expect(lines.map((line) => line.split(' ')[1]).toSorted()).toEqual(['sms.delivered', 'sms.sent']);
});
