/** The commands of `npm run admin`, with the connection of this run's gateway. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../bin/admin/program.ts';
import { gateway } from '../gateway/gateway.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'admin.ts');

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AdminShell {
  /** The folder of the connection file; the test owns all other files in it. */
  readonly folder: string;
  /** In this process: a Node process for each command would take as long as a hundred requests. */
  run(...words: string[]): Promise<Ended>;
  /** In a process of its own, as a person runs it. */
  runProgram(...words: string[]): Promise<Ended>;
  /** Returns the output of the command with `--json`. @throws Error with the command's message if it failed */
  json(...words: string[]): Promise<Record<string, unknown>>;
  close(): void;
}

export function adminShell(): AdminShell {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-admin-'));
  const connection = join(folder, 'gateway.json');
  writeFileSync(connection, JSON.stringify(gateway()), { mode: 0o600 });
  const withConnection = (words: readonly string[]): string[] => ['--gateway', connection, ...words];
  const run: AdminShell['run'] = async (...words) => {
    let [stdout, stderr] = ['', ''];
    const status = await runCommand(withConnection(words), {
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
    });
    return { status, stdout, stderr };
  };
  return {
    folder,
    run,
    runProgram: (...words) =>
      new Promise((resolve) => {
        const given = [program, ...withConnection(words)];
        // A list has what all tests left.
        execFile(process.execPath, given, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
          resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      }),
    async json(...words) {
      const { status, stdout, stderr } = await run(...words, '--json');
      if (status !== 0 || stderr !== '') throw new Error(`admin ${words.join(' ')}: ${status} ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
