/** Runs the CDK's command line as a person does, in a checkout, against the emulator. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { emulatorAccess } from '../../lib/local/emulator.ts';

export interface Ran {
  readonly status: number;
  /** Both streams, in the order of their coming. */
  readonly output: string;
}

export interface CommandLine {
  /** `npx cdk …` */
  cdk(folder: string, ...parameters: string[]): Promise<Ran>;
  /** `npx cdk deploy …`, and the outputs that it wrote. */
  deploy(folder: string, ...parameters: string[]): Promise<Ran & { outputs: Record<string, string> }>;
}

const runWithinMs = 240_000;

export async function commandLine(endpoint: string, log: WriteStream): Promise<CommandLine> {
  const home = await mkdtemp(join(tmpdir(), 'messaging-gateway-home-'));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: emulatorAccess.region,
    AWS_ACCESS_KEY_ID: emulatorAccess.accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorAccess.secretAccessKey,
  };

  async function cdk(folder: string, ...parameters: string[]): Promise<Ran> {
    log.write(`\n$ npx cdk ${parameters.join(' ')}\n`);
    const child = spawn(
      process.execPath,
      [join(folder, 'node_modules', 'aws-cdk', 'bin', 'cdk'), ...parameters],
      {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: runWithinMs,
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        output += part.toString();
        log.write(part);
      });
    }
    const [status] = (await once(child, 'close')) as [number | null];
    return { status: status ?? -1, output };
  }

  return {
    cdk,
    async deploy(folder, ...parameters) {
      const file = join(home, 'outputs.json');
      const ran = await cdk(
        folder,
        'deploy',
        '--require-approval',
        'never',
        '--outputs-file',
        file,
        ...parameters,
      );
      const written = await readFile(file, 'utf8').catch(() => '{}');
      const [outputs = {}] = Object.values(JSON.parse(written) as Record<string, Record<string, string>>);
      return { ...ran, outputs };
    },
  };
}
