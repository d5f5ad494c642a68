/**
 * The restore commands of docs/rotate-and-restore.md for a running gateway, in processes of their own. A process can be killed
 * at
 * any of its calls to AWS: before the call takes effect, or after it and without the response.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RestoreReport } from '../../../shared/restore/restore-stage.ts';
import { commandsIn } from '../../deploy/documented-commands.ts';
import { gateway } from '../gateway/gateway.ts';
import { type Death, startCountingProxy } from '../http/counting-proxy.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'admin.ts');

/** A call at which a process dies. */
export interface KillPoint {
  /** The start of the operation's name, or its method and path. */
  readonly call: string;
  /** Which of these calls of the process, from 1. */
  readonly nth: number;
  readonly when: 'before' | 'after';
}

interface Ended {
  /** Null if the process was killed. */
  readonly status: number | null;
  readonly printed: string;
}

const documented = {
  copy: / restore --to /,
  enable: / restore enable --all-but /,
  release: / restore release /,
  end: / restore end /,
  start: / restore start$/,
} as const;

/** Returns the words of each command after `restore`, as the page has them, with our own values. */
function documentedWords(to: Date, keyId: string) {
  const commands = commandsIn('docs/rotate-and-restore.md');
  const wordsOf = (wanted: RegExp): readonly string[] =>
    commands
      .take(wanted)
      .replace(/^.* restore /, '')
      .replace(/^--to \S+/, `--to ${to.toISOString()}`)
      .replace('CLIENT_ID KEY_ID', keyId)
      .split(' ');
  return {
    copy: [...wordsOf(documented.copy), 'api-keys'],
    enable: wordsOf(documented.enable),
    release: wordsOf(documented.release),
    end: wordsOf(documented.end),
    start: wordsOf(documented.start),
    enableKey: ['enable', keyId],
  };
}

/** @param keyId - of an API key that must stay disabled */
export async function restoreCommand(to: Date, keyId: string) {
  const words = documentedWords(to, keyId);
  const { aws, ...others } = gateway();
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-restore-'));
  const connection = join(folder, 'gateway.json');
  let child: ChildProcess | undefined;
  let point: KillPoint | undefined;
  let calls = 0;
  const proxy = await startCountingProxy(aws.endpoint, (operation): Death | undefined => {
    if (point === undefined || !operation.startsWith(point.call)) return undefined;
    calls += 1;
    return calls === point.nth ? { when: point.when, kill: () => child?.kill('SIGKILL') } : undefined;
  });
  writeFileSync(connection, JSON.stringify({ ...others, aws: { ...aws, endpoint: proxy.endpoint } }), {
    mode: 0o600,
  });

  async function runOnce(name: keyof typeof words): Promise<Ended & { readonly errors: string }> {
    const given = [program, '--gateway', connection, 'restore', '--progress', folder, ...words[name]];
    const started = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    const [printed, errors, [status]] = await Promise.all([
      text(started.stdout),
      text(started.stderr),
      once(started, 'close') as Promise<[number | null]>,
    ]);
    return { status, printed, errors };
  }

  return {
    async run(name: keyof typeof words, killedAt?: KillPoint): Promise<Ended> {
      for (;;) {
        [point, calls] = [killedAt, 0];
        const { errors, printed, status } = await runOnce(name);
        // On a busy machine something answers too late: a person repeats the command.
        if (!/did not respond within|@smithy.node-http-handler/.test(errors))
          return { status, printed: status === 0 ? printed : errors };
      }
    },
    report: (): RestoreReport =>
      JSON.parse(readFileSync(join(folder, 'messaging-gateway-local.report.json'), 'utf8')),
    async close(): Promise<void> {
      await proxy.close();
      rmSync(folder, { recursive: true });
    },
  };
}
