/** Runs schemathesis, with all its checks, against a gateway's own document, and tells how many cases that was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

interface SchemathesisRun {
  readonly python: string;
  readonly baseUrl: string;
  readonly examples: string;
  readonly seed: string;
  readonly workingFolder: string;
  /** `FUZZ_…` variables that its settings and its hooks read. */
  readonly environment: Readonly<Record<string, string>>;
}

interface SchemathesisResult {
  readonly generated: number;
  readonly passed: number;
  readonly status: number;
}

const counts = /(\d+) generated(?:, (\d+) passed)?/;

export async function runSchemathesis(run: SchemathesisRun): Promise<SchemathesisResult> {
  const child = spawn(
    run.python,
    [
      '-m',
      'schemathesis.cli',
      `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
      'run',
      `${run.baseUrl}/openapi.json`,
      '--checks=all',
      // How long a busy machine takes is not what is asked.
      '--max-response-time=120',
      '--continue-on-failure',
      `--max-examples=${run.examples}`,
      `--seed=${run.seed}`,
      // One thread: several trip over each other in CPython, and the gateway is not what makes them wait.
      '--workers=1',
      '--request-timeout=120',
      '--no-color',
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: run.workingFolder,
      env: {
        ...process.env,
        ...run.environment,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const [, generated = '0', passed = '0'] = counts.exec(output) ?? [];
  return { generated: Number(generated), passed: Number(passed), status: status ?? 1 };
}
