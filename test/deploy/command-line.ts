/**
 * Runs a documented command in a checkout, as a person does who pastes it. All that differs from a shell with
 * the credentials of an AWS account stands here, in `differences`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { emulatorAccess } from '../../lib/local/emulator.ts';

const differences = {
  /** Settings of a stage, unless the command names them: what the emulator refuses, or what only it asks for. */
  settings: {
    // Receivers run on this machine, which only the local stage may call.
    stage: 'local',
    alarms: false,
    canary: false,
    webAcl: false,
    emulator: true,
  },
  /** More than half of a synthesis is its validation of the template, which `npm test` has for the template of each stage. */
  environment: { CDK_VALIDATION: 'false' },
  /** What the shell has beside: nobody is there to answer a question, and AWS's command line is not installed. */
  shell: `
    npx() { command npx "$@" --yes; }
    npm() { if [ "$1" = ci ]; then test -d node_modules; else command npm "$@"; fi; }
    aws() { node '${join(import.meta.dirname, 'aws.ts')}' "$@"; }
  `,
  /** The documentation's placeholders, and what replaces them. */
  placeholders: {
    '--stage dev': '--stage local',
    // The emulator has no configuration sets of SMS.
    '-c stage=production': '-c stage=production -c smsCarrier=off',
    // A deploy refuses the values of the sample.
    'cp lib/stages/settings-sample.json settings.production.json':
      "sed 's/0123456789/1234567890/' lib/stages/settings-sample.json > settings.production.json",
  },
};

interface Ran {
  readonly status: number;
  /** Both streams, in the order of their coming. */
  readonly output: string;
  /** The outputs of the stack, where the command was a deploy. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** @param fillIn - what replaces the placeholders of the documentation */
export type CommandLine = (
  folder: string,
  command: string,
  fillIn?: Readonly<Record<string, string>>,
) => Promise<Ran>;

const runWithinMs = 300_000;

export async function commandLine(endpoint: string, log: WriteStream): Promise<CommandLine> {
  const home = await mkdtemp(join(tmpdir(), 'messaging-gateway-home-'));
  const outputsFile = join(home, 'outputs.json');
  await writeFile(join(home, '.cdk.json'), JSON.stringify({ context: differences.settings, outputsFile }));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    ...differences.environment,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: emulatorAccess.region,
    AWS_ACCESS_KEY_ID: emulatorAccess.accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorAccess.secretAccessKey,
  };

  return async (folder, command, fillIn = {}) => {
    let filledIn = command;
    for (const [words, value] of Object.entries({ ...differences.placeholders, ...fillIn }))
      filledIn = filledIn.replaceAll(words, () => value);
    log.write(`\n$ ${filledIn}\n`);
    await writeFile(outputsFile, '{}');
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `${differences.shell}\n${filledIn}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: runWithinMs,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        output += part.toString();
        log.write(part);
      });
    }
    const [status] = (await once(child, 'close')) as [number | null];
    const written = JSON.parse(await readFile(outputsFile, 'utf8')) as Record<string, Record<string, string>>;
    const [outputs = {}] = Object.values(written);
    return { status: status ?? -1, output, outputs };
  };
}
