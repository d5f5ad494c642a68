/** `npm run verify -- --stage local`, as a person runs it: what applies here holds, and nothing that acts is left. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Result } from '../../bin/verify/promise.ts';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { gateway, schedulerClient, sqsClient } from '../support/gateway/gateway.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'verify.ts');
const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-verify-'));

interface Report {
  readonly results: readonly Result[];
  readonly left: readonly string[];
}

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function verify(...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const ours = <Client extends { readonly name: string }>(clients: readonly Client[]): Client[] =>
  clients.filter(({ name }) => name.startsWith('Verification, '));

let shell: AdminShell;
let report: Report;

beforeAll(async () => {
  const file = join(folder, 'gateway.json');
  writeFileSync(file, JSON.stringify(gateway()), { mode: 0o600 });
  shell = adminShell();
  const { stdout, stderr } = await verify('--stage', 'local', '--gateway', file, '--json');
  if (stdout === '') throw new Error(stderr);
  report = JSON.parse(stdout) as Report;
});
afterAll(() => {
  shell.close();
  rmSync(folder, { recursive: true });
});

it('holds whatever loads this machine, except for what a call that times out changes', () => {
  // A write of a counter that times out is repeated, and may have counted: one request fewer is admitted then.
  const ofASlowMachine = /admits exactly/;
  const failed = report.results.filter(
    ({ result, title }) => result === 'fail' && !ofASlowMachine.test(title),
  );
  expect(failed).toEqual([]);
  expect(report.results.filter(({ result }) => result === 'pass').length).toBeGreaterThan(8);
});

it('marks what this machine cannot show, and why', () => {
  const reasons = report.results
    .filter(({ result }) => result === 'not applicable')
    .map(({ measured }) => measured);
  expect(reasons.toSorted()).toEqual([
    'the stage has no TLS',
    'the stage has no web ACL',
    'the stage is on this machine',
    'the stage is on this machine',
    'the stage is on this machine',
    'the stage is on this machine',
  ]);
});

it('leaves its clients disabled, without a key, a limit or a scheduled message', async () => {
  expect(report.left).toEqual([]);
  const { clients } = (await shell.json('clients', 'list')) as {
    clients: readonly { client_id: string; name: string; disabled: boolean }[];
  };
  expect(ours(clients).length).toBeGreaterThan(1);
  for (const { client_id, disabled } of ours(clients)) {
    expect(disabled).toBe(true);
    const shown = (await shell.json('clients', 'show', client_id)) as {
      api_keys: readonly { revoked_at: string | null }[];
    };
    for (const { revoked_at } of shown.api_keys) expect(revoked_at).not.toBeNull();
    const { messages } = (await shell.json(
      'messages',
      'list',
      '--client',
      client_id,
      '--status',
      'scheduled',
    )) as {
      messages: readonly unknown[];
    };
    expect(messages).toEqual([]);
    const { limits } = (await shell.json('limits', 'list', client_id)) as {
      limits: readonly { override: unknown }[];
    };
    expect(limits.filter(({ override }) => override !== null)).toEqual([]);
  }
});

it('leaves no schedule and no queue of its own', async () => {
  const { Schedules = [] } = await schedulerClient().send(new ListSchedulesCommand({}));
  expect(Schedules.filter(({ Name }) => Name?.startsWith('verify-'))).toEqual([]);
  const { QueueUrls = [] } = await sqsClient().send(new ListQueuesCommand({}));
  expect(QueueUrls.filter((url) => url.includes('-verify-'))).toEqual([]);
});

it('sends by test keys only, so that no carrier of a real stage is called', async () => {
  const { clients } = (await shell.json('clients', 'list')) as {
    clients: readonly { client_id: string; name: string }[];
  };
  const { messages } = (await shell.json(
    'messages',
    'list',
    '--client',
    ours(clients)[0]?.client_id ?? '',
  )) as {
    messages: readonly unknown[];
  };
  expect(messages).toEqual([]);
});

it('says how it is used, and what is missing', async () => {
  const without = await verify();
  expect([without.status, without.stdout.includes('--stage NAME')]).toEqual([2, true]);
  const nowhere = await verify('--stage', 'local', '--gateway', join(folder, 'missing.json'));
  expect([nowhere.status, nowhere.stderr]).toEqual([2, expect.stringContaining('npm start')]);
  const unknown = await verify('--stgae', 'local');
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('--stgae')]);
});
