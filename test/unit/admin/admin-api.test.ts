/** Every route of the admin API leads to its own operation, with or without a slash at the end. */

import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../bin/admin/program.ts';
import { readsNothing } from '../../../shared/admin/http/admin-operation.ts';
import { adminApi, type adminOperations } from '../../../shared/admin/http/admin-operations.ts';
import type { Client } from '../../../shared/client/client.ts';
import { type AdminApiRouteName, adminApiRoutes } from '../../../shared/contract/admin-api-routes.ts';
import { adminRoutes } from '../../../shared/contract/routes.ts';
import { inFolder } from '../../support/architecture/source-files.ts';

const names = Object.keys(adminApiRoutes) as AdminApiRouteName[];
const client: Client = {
  client_id: 'cli_1',
  name: 'Operations',
  scopes: ['admin'],
  disabled: false,
  secrets: [],
  created_at: '2026-11-20T12:00:00.000Z',
};

/** Each operation tells its name, and the parameters that it was given. */
const operations = Object.fromEntries(
  names.map((name) => [name, readsNothing(async (_ctx, { actor, path }) => ({ name, actor, path }))]),
) as unknown as typeof adminOperations;
const api = adminApi({} as never, operations);

const call = (method: string, path: string) =>
  api({
    workId: 'work-1',
    route: adminRoutes.adminApi,
    method,
    path,
    pathParameters: {},
    query: {},
    headers: {},
    body: undefined,
    rawBody: Buffer.alloc(0),
    sourceIp: '203.0.113.1',
    caller: { clientId: client.client_id, scopes: client.scopes, client },
    now: new Date('2026-11-20T12:00:00.000Z'),
  });

it.each(names)('%s', async (name) => {
  const { method, path } = adminApiRoutes[name];
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);
  const filled = path.replaceAll(/\{(\w+)\}/g, 'an%20$1');
  const ids = Object.fromEntries(parameters.map((parameter) => [parameter, `an ${parameter}`]));
  for (const given of [filled, `${filled}/`]) {
    expect(await call(method, given)).toEqual({
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: { name, actor: 'cli_1', path: ids },
      log: { operation: name },
    });
  }
});

it.each([
  ['PUT', '/admin/api/clients', 'method_not_allowed'],
  ['GET', '/admin/api/nothing', 'not_found'],
  ['GET', '/admin/api/clients//limits', 'not_found'],
  ['GET', `/admin/api/clients/${'x'.repeat(129)}`, 'not_found'],
  ['GET', '/admin/api/clients/%ff', 'invalid_request'],
])('%s %s is refused: %s', async (method, path, code) => {
  await expect(call(method, path)).rejects.toThrow(expect.objectContaining({ code }));
});

describe('a change that an administrator can make', () => {
  const textOf = (folder: string): string =>
    inFolder(folder)
      .map(({ text }) => text)
      .join('\n');

  it('is in the dashboard', () => {
    const dashboard = textOf('dashboard');
    const missing = names
      // A simulated reply is for trials.
      .filter((name) => adminApiRoutes[name].method !== 'GET' && name !== 'sendInbound')
      .filter((name) => !new RegExp(`\\.send\\(\\s*'${name}'`).test(dashboard));
    expect(missing).toEqual([]);
  });

  it('is in the shell, with the fields of its schema as options', async () => {
    let help = '';
    const out = (text: string): void => {
      help += text;
    };
    for (const words of [
      ['call', '--help'],
      ['call', 'setLimits', '--help'],
    ])
      expect(await runCommand(words, { out, err: out })).toBe(0);
    for (const name of names) expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(help).toMatch(/--per-minute <value> +number or null/);
  });
});
