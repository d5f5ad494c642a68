import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { caps } from '../../../shared/contract/caps.ts';
import { type Policy, policies, routes } from '../../../shared/contract/routes.ts';
import { simulatedRecipients } from '../../../shared/contract/simulated-recipients.ts';
import { unreachableLimits } from '../../../shared/rate-limit/unreachable-limits.ts';
import { limitTable } from '../../support/docs/limit-table.ts';
import { anchorsOf, page, pages, root } from '../../support/docs/pages.ts';

const cell = (text: string): string => `| \`${text}\` |`;

describe.each(pages())('%s', (path) => {
  it('links to files and sections that exist', () => {
    const links = Array.from(page(path).matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link);
    const missing = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(page(target)).has(anchor);
    });
    expect(missing).toEqual([]);
  });

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(page('package.json')) as { scripts: object };
    const named = Array.from(page(path).matchAll(/npm run (\w[\w:-]*)/g), ([, name = '']) => name);
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('CONTRIBUTING.md names files that exist, but for those of its example', () => {
  const paths = page('CONTRIBUTING.md').matchAll(
    /`((?:bin|dashboard|docs|functions|lib|shared|test)\/[\w./-]+)`/g,
  );
  const missing = Array.from(paths, ([, path = '']) => path).filter(
    (path) => ![path, `${path}.test.ts`].some((file) => existsSync(join(root, file))),
  );
  const example = ['shared/account/list-contacts.ts', 'functions/list-contacts.ts'];
  expect(missing.filter((path) => !example.includes(path))).toEqual([]);
});

describe('README.md', () => {
  it('lists every operation', () => {
    const readme = page('README.md');
    const listed = Object.values(routes).map(({ method, path }) =>
      path.startsWith('/api/v1') ? cell(`${method} ${path}`) : path,
    );
    expect(listed.filter((text) => !readme.includes(text))).toEqual([]);
  });

  it('says what the simulated carrier does for each recipient', () => {
    for (const [recipient, behavior] of Object.entries(simulatedRecipients))
      expect(page('README.md')).toContain(`| ${recipient} | ${behavior} |`);
  });
});

describe('docs/operate.md', () => {
  it('has the runbook that each alarm links to', () => {
    const named = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => Array.from(page(join('lib', file)).matchAll(/runbook: '([a-z-]+)'/g)))
      .map(([, section = '']) => `runbook-${section}`);
    expect(named.length).toBeGreaterThan(10);
    const anchors = anchorsOf(page('docs/operate.md'));
    expect(named.filter((section) => !anchors.has(section))).toEqual([]);
  });
});

describe('docs/limits.md', () => {
  it('has the default limits of every endpoint', () => {
    expect(page('docs/limits.md')).toContain(`<!-- table: default limits -->\n\n${limitTable()}\n\n`);
  });

  it('has the windows of every cap', () => {
    for (const [name, { windows }] of Object.entries(caps)) {
      const [row] = page('docs/limits.md').match(new RegExp(`^\\| \`${name}\` .*$`, 'm')) ?? [];
      expect(row).toContain(`| ${windows.map((window) => `\`per_${window}\``).join(', ')} |`);
    }
  });

  it('has an example that raises a limit to numbers that can all be reached', () => {
    const [, example = ''] =
      /In the console's JSON view such an item is:\n\n```json\n([^`]*)```/.exec(page('docs/limits.md')) ?? [];
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
});
