/** `npm run admin` in a shell, with the connection of this run's gateway. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  run(...words: string[]): Promise<Ended>;
  /** What the command prints with `--json`. @throws Error with what it said, where it was not done. */
  json(...words: string[]): Promise<Record<string, unknown>>;
  close(): void;
}

export function adminShell(): AdminShell {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-admin-'));
  const connection = join(folder, 'gateway.json');
  writeFileSync(connection, JSON.stringify(gateway()), { mode: 0o600 });
  const run: AdminShell['run'] = (...words) =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, '--gateway', connection, ...words], (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  return {
    folder,
    run,
    async json(...words) {
      const { status, stdout, stderr } = await run(...words, '--json');
      if (status !== 0 || stderr !== '') throw new Error(`admin ${words.join(' ')}: ${status} ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
