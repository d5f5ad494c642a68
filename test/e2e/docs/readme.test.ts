import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Policy, policies, routes } from '../../../shared/contract/routes.ts';
import { unreachableLimits } from '../../../shared/rate-limit/unreachable.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { ownClient } from '../../support/http/own-client.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const shellBlocks = Array.from(readme.matchAll(/```sh\n([^`]*)```/g), ([, block = '']) => block);

/** As GitHub makes them of headings. */
const anchors = new Set(
  Array.from(readme.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  ),
);

describe('the README', () => {
  it('has three curl calls that work as they stand', async () => {
    const block = shellBlocks.find((candidate) => candidate.includes('/api/v1/sms/send')) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    try {
      mkdirSync(join(folder, '.local'));
      const { clientId, clientSecret } = await ownClient('README');
      const connection = { base_url: gateway().base_url, client_id: clientId, client_secret: clientSecret };
      writeFileSync(join(folder, '.local', 'gateway.json'), JSON.stringify(connection));
      const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', block], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ client_id: clientId, recipient: '+447700900123' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('links to files and sections that there are', () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link);
    const missing = links.filter((link) =>
      link.startsWith('#') ? !anchors.has(link.slice(1)) : !existsSync(join(root, link)),
    );
    expect({ links: links.length > 10, missing }).toEqual({ links: true, missing: [] });
  });

  it('has the section of the runbook that each alarm names', () => {
    const named = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        Array.from(readFileSync(join(root, 'lib', file), 'utf8').matchAll(/runbook: '([a-z-]+)'/g)),
      )
      .map(([, section = '']) => `runbook-${section}`);
    expect(named.filter((section) => !anchors.has(section))).toEqual([]);
  });

  it('names commands that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = Array.from(readme.matchAll(/npm run (\w[\w:-]*)/g), ([, name = '']) => name);
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  });

  it('raises a limit, in its example, to numbers that can all be reached', () => {
    const [, example = ''] =
      /In the console's JSON view such an item is:\n\n```json\n([^`]*)```/.exec(readme) ?? [];
    const item = JSON.parse(example) as Record<string, { readonly S?: string; readonly N?: string }>;
    const policy = Object.values<Policy>(policies).find(({ endpoint }) => endpoint === item.endpoint?.S);
    if (policy === undefined) throw new Error(`there is no endpoint ${item.endpoint?.S}`);
    const limits = {
      perMinute: Number(item.per_minute?.N ?? policy.perMinute),
      perHour: Number(item.per_hour?.N ?? policy.perHour),
      perDay: Number(item.per_day?.N ?? policy.perDay),
    };
    expect(limits.perMinute).toBeGreaterThan(policy.perMinute);
    expect(unreachableLimits(limits)).toEqual([]);
    expect(limits.perHour).toBeGreaterThan(policy.perHour);
  });

  it('lists every operation, and the limits as they are', () => {
    const cell = (text: string): string => `| \`${text}\` |`;
    for (const { method, path } of Object.values(routes)) {
      if (path.startsWith('/api/v1')) expect(readme).toContain(cell(`${method} ${path}`));
      else expect(readme).toContain(path);
    }
    const { admin, unmatched, ...forClients } = policies;
    for (const { endpoint, ...limits } of Object.values<Policy>(forClients)) {
      const numbers = [limits.perMinute, limits.perHour, limits.perDay].map((number) =>
        number.toLocaleString('en'),
      );
      expect(readme).toContain(`${cell(endpoint)} ${numbers.join(' | ')} |`);
    }
    expect([admin.endpoint, unmatched.endpoint]).toEqual(['ANY /admin/api/*', 'ANY /*']);
  });
});
