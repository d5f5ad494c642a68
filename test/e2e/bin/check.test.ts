/** `npm run check -- --stage local`, as a person runs it: every promise holds, and nothing that acts is left. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { adminShell } from '../../support/admin/admin-shell.ts';
import { gateway } from '../../support/gateway/gateway.ts';

const program = join(import.meta.dirname, '..', '..', 'check', 'run.ts');

const check = (...words: string[]): Promise<{ readonly status: number; readonly output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });

it('passes, with test credentials only, and disables its client without a key or a scheduled message', async () => {
  const shell = adminShell();
  const file = join(shell.folder, 'check.json');
  await writeFile(file, JSON.stringify(gateway()), { mode: 0o600 });
  const { status, output } = await check('--stage', 'local', '--gateway', file);
  expect(output).toMatch(/^ok {4}a message is delivered$/m);
  expect([status, output]).toEqual([0, expect.not.stringContaining('FAIL')]);
  const { clients } = await shell.json('call', 'listClients', '--all');
  const [own] = (clients as { client_id: string; name: string; disabled: boolean }[]).filter(({ name }) =>
    name.startsWith('Check 2'),
  );
  expect(own).toMatchObject({ disabled: true });
  const { client_id = '' } = own ?? {};
  const { api_keys } = await shell.json('call', 'showClient', client_id, '--test');
  expect(api_keys).toMatchObject([{ revoked_at: expect.any(String) }]);
  const list = ['call', 'searchMessages', '--client', client_id];
  expect(await shell.json(...list)).toMatchObject({ messages: [] });
  expect(await shell.json(...list, '--test', '--status', 'scheduled')).toMatchObject({ messages: [] });
  shell.close();
});

it('says how it is used', async () => {
  expect(await check()).toMatchObject({
    status: 2,
    output: expect.stringContaining('Give --stage, or --url'),
  });
  expect(await check('--stgae', 'local')).toMatchObject({ status: 2 });
});
