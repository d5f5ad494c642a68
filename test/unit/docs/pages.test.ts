import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { caps, type Policy, policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { unreachableLimits } from '../../../shared/limit/limit-feedback.ts';
import { parts } from '../../parts.ts';
import { anchorsOf, page, pages, root } from '../../support/docs/pages.ts';

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

  it('names parts of the tests and benchmarks that exist', () => {
    const named = (words: RegExp) => Array.from(page(path).matchAll(words), ([, name = '']) => name);
    const absentParts = named(/npm run test:(?:all|release) -- ([a-z][\w-]*)/g).filter(
      (name) => !(name in parts),
    );
    expect(absentParts).toEqual([]);
    const benchmarks = named(/npm run bench -- ([a-z][\w-]*)/g);
    expect(benchmarks.filter((name) => !existsSync(join(root, 'test', 'bench', `${name}.ts`)))).toEqual([]);
  });
});

/** The files of the operation that CONTRIBUTING.md adds as an example. */
const exampleFiles = ['shared/account/list-contacts.ts', 'functions/list-contacts.ts'];
const folders = ['bin', 'clients', 'dashboard', 'docs', 'functions', 'lib', 'shared', 'test'];
/** The paths of all files and folders, and of tests without their ending. */
const paths = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules'))
    .flatMap((file) => [join(folder, file), join(folder, file).replace(/\.test\.ts$/, '')]),
);
const knownPaths: ReadonlySet<string> = new Set([...folders, ...paths]);
const fileNames: ReadonlySet<string> = new Set(paths.map((path) => basename(path)));

it.each(pages().filter((path) => path !== 'CHANGELOG.md'))('%s names files that exist', (path) => {
  const named = Array.from(page(path).matchAll(/`(\w[\w./-]*)`/g), ([, file = '']) => file);
  // docs/architecture.md names folders and tests without the folder that they are in.
  const isName = path === 'docs/architecture.md' ? /\/|\.tsx?$/ : /\.tsx?$/;
  const missing = named.filter((file) => {
    const isPath = folders.includes(file.split('/')[0] ?? '') && file.includes('/');
    if (isPath) return !knownPaths.has(file.replace(/\/$/, ''));
    if (!isName.test(file)) return false;
    return file.includes('/') ? !paths.some((one) => one.endsWith(`/${file}`)) : !fileNames.has(file);
  });
  expect(missing.filter((file) => !exampleFiles.includes(file))).toEqual([]);
});

it('the README names the resource of every operation, and docs/local.md every other address', () => {
  const [readme, local] = [page('README.md'), page('docs/local.md')];
  const missing = Object.values(routes).filter(({ path }) => {
    const [resource] = /^\/api\/v1\/[^/]+/.exec(path) ?? [];
    return resource === undefined ? !local.includes(`${path}\``) : !readme.includes(resource);
  });
  expect(missing).toEqual([]);
});

it('the set-up of the carriers is a numbered page, to which the page of the deploy leads before all settings', () => {
  const steps = Array.from(page('docs/carriers.md').matchAll(/^## (\d+)\. /gm), ([, number]) =>
    Number(number),
  );
  expect(steps).toEqual(steps.map((_, index) => index + 1));
  expect(steps.length).toBeGreaterThan(5);
  const [before = ''] = page('docs/deploy.md').split('\n## Stages and settings');
  expect(before).toContain('(carriers.md)');
});

it.each(['README.md', 'docs/deploy.md'])('%s has the costs of docs/cost-and-scale.md', (path) => {
  const costs = Array.from(page(path).matchAll(/(\d+\.\d\d) USD/g), ([, cost = '']) => cost);
  expect(costs.length).toBeGreaterThan(1);
  const known = page('docs/cost-and-scale.md');
  expect(costs.filter((cost) => !known.includes(`**${cost}**`))).toEqual([]);
});

it.each([
  ['README.md', 100],
  ['CONTRIBUTING.md', 110],
  ['docs/architecture.md', 250],
])('%s has at most %i lines', (path, linesMax) => {
  expect(page(path).split('\n').length - 1).toBeLessThanOrEqual(linesMax);
});

it('the changelog has each release with its date, the latest first, and the API apart from the rest', () => {
  const [unreleased, ...releases] = page('CHANGELOG.md').split(/^## /m).slice(1);
  const { version } = JSON.parse(page('package.json')) as { version: string };
  expect(unreleased?.split('\n')[0]).toBe('Unreleased');
  expect(releases.map((release) => release.split('\n')[0])).toEqual([
    expect.stringMatching(new RegExp(`^${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`)),
  ]);
  const order = ['API: added', 'API: changed', 'API: fixed', 'Added', 'Changed', 'Fixed'];
  for (const release of [unreleased ?? '', ...releases]) {
    const sections = Array.from(release.matchAll(/^### (.+)$/gm), ([, title = '']) => title);
    expect(sections).toEqual(order.filter((title) => sections.includes(title)));
  }
});

describe('docs/operate.md', () => {
  const sections = page('docs/operate.md').split(/^## /m);
  const written = sections.filter((section) => section.startsWith('Runbook: '));

  it('has a runbook for each alarm, and no other, in their order: those that page come first', () => {
    const anchors = [...anchorsOf(page('docs/operate.md'))].filter((anchor) => anchor.startsWith('runbook-'));
    const alarms = page('lib/constructs/alarm.ts').matchAll(/^ {2}'?([\w-]+)'?: '(?:page|mail)',$/gm);
    expect(anchors).toEqual(Array.from(alarms, ([, name]) => `runbook-${name}`));
  });

  it('begins each runbook with what to type', () => {
    const others = written.filter((section) => !/^Runbook: .+\n\n```(sh)?\n/.test(section));
    expect(others.map((section) => section.split('\n')[0])).toEqual([]);
  });
});

describe('docs/limits.md', () => {
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
