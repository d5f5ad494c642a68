/** The samples of the documentation in Python and Go, and its quick start with the endpoints in these languages. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ReceiverLanguage } from '../../lib/build/docs/receivers.ts';
import { followQuickStart } from '../support/docs/quick-start.ts';
import { runnableSamples } from '../support/docs/samples.ts';
import { gateway } from '../support/gateway/gateway.ts';
import { newClient, withTestKey } from '../support/http/client.ts';

const run = promisify(execFile);

interface SampleStep {
  readonly name: string;
  /** Commands that it needs. */
  readonly commands: readonly string[];
  readonly work: () => Promise<void>;
}

/** @param python - with the package `requests` @param folder - for files that it makes */
export function sampleSteps(python: string, folder: string): readonly SampleStep[] {
  return [
    { name: 'every sample in Python succeeds', commands: [], work: () => runPython(python, folder) },
    {
      name: 'every sample in Go is formatted, is sound to go vet, and succeeds',
      commands: ['go', 'gofmt'],
      work: () => runGo(folder),
    },
    {
      name: 'the quick start ends with verified webhooks in Python',
      commands: ['python3'],
      work: () => runQuickStart('python'),
    },
    {
      name: 'the quick start ends with verified webhooks in Go',
      commands: ['go'],
      work: () => runQuickStart('go'),
    },
  ];
}

async function runPython(python: string, folder: string): Promise<void> {
  for (const { operationId, source, environment } of await runnableSamples(gateway().base_url, 'python')) {
    const file = join(folder, `${operationId}.py`);
    await writeFile(file, source);
    await run(python, ['-W', 'error', file], { env: { ...process.env, ...environment } });
  }
}

async function runGo(folder: string): Promise<void> {
  const module = join(folder, 'go-samples');
  const samples = await runnableSamples(gateway().base_url, 'go');
  await mkdir(module, { recursive: true });
  await writeFile(join(module, 'go.mod'), 'module samples\n\ngo 1.21\n');
  for (const { operationId, source } of samples) {
    await mkdir(join(module, operationId), { recursive: true });
    // A copied text has no line end behind its last line.
    await writeFile(join(module, operationId, 'main.go'), `${source}\n`);
  }
  const { stdout: unformatted } = await run('gofmt', ['-l', '.'], { cwd: module });
  if (unformatted !== '') throw new Error(`not as gofmt has it: ${unformatted}`);
  await run('go', ['vet', './...'], { cwd: module });
  await mkdir(join(module, 'built'), { recursive: true });
  await run('go', ['build', '-o', 'built/', './...'], { cwd: module });
  for (const { operationId, environment } of samples)
    await run(join(module, 'built', operationId), [], { env: { ...process.env, ...environment } });
}

async function runQuickStart(language: ReceiverLanguage): Promise<void> {
  const client = await withTestKey(
    await newClient({ name: `Quick start in ${language}`, limits: 'default' }),
  );
  const { status, lines } = await followQuickStart(client, language);
  if (status.status !== 'delivered' || lines.length !== 2)
    throw new Error(`${JSON.stringify(status)} ${lines.join('\n')}`);
}
