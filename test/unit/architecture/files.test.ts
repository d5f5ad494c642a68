import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  adminRoutes,
  carrierRoutes,
  type Route,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import {
  files,
  filesOf,
  inFolder,
  ours,
  reachedFrom,
  read,
  root,
  stubs,
} from '../../support/architecture/source-files.ts';

describe('files and packages', () => {
  it('packages that functions contain are dependencies, those that build, deploy and test are devDependencies', () => {
    // No file imports the stubs: the bundler puts them in the place of parts of packages.
    const starts = ['functions', 'dashboard', ...stubs].flatMap(inFolder);
    const held = reachedFrom(starts.map(({ path }) => path));
    const packages = new Set(
      files
        .filter(({ path }) => held.has(path))
        .flatMap(({ imports }) => imports.filter(({ typeOnly }) => !typeOnly))
        .map(({ target }) => target)
        .filter((target) => !ours(target) && !target.startsWith('node:'))
        .map((target) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0]),
    );
    const manifest: { readonly [list: string]: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([...packages].toSorted());
    expect(Object.keys(manifest.devDependencies ?? {}).filter((name) => packages.has(name))).toEqual([]);
  });

  it('every export is used by another file', () => {
    const all = files.concat(filesOf('test'));
    const words = new Map(all.map(({ path, text }) => [path, new Set(text.match(/\w+/g))]));
    const named = (name: string, by: string): boolean =>
      all.some(({ path }) => path !== by && words.get(path)?.has(name) === true);
    const unused = all
      // Packages use the exports of stubs.
      .filter(({ path }) => !stubs.some((folder) => path.startsWith(`${folder}/`)))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm),
          ([, name = '']) => name,
        )
          .filter((name) => !named(name, path))
          .map((name) => `${path} exports ${name}`),
      );
    expect(unused).toEqual([]);
  });

  it('the function that a route names has its operation', () => {
    const without = Object.entries(routes)
      .map(([name, { functionName }]) => ({ name, path: `functions/${functionName}.ts` }))
      .filter(({ name, path }) => !new RegExp(`routes\\.${name}\\b|^  +${name}: `, 'm').test(read(path).text))
      .map(({ name, path }) => `${path} has no ${name}`);
    expect(without).toEqual([]);
  });

  it('each metric of the contract is counted, and read by an alarm', () => {
    const [, union = ''] = /type StageMetric =([^;]*);/.exec(read('shared/contract/metrics.ts').text) ?? [];
    const names = Array.from(union.matchAll(/'(\w+)'/g), ([name]) => name);
    expect(names).toContain("'SendFailed'");
    const unnamed = [['lib'], ['functions', 'shared']].flatMap((folders) => {
      const others = folders.flatMap(inFolder).filter(({ path }) => path !== 'shared/contract/metrics.ts');
      return names
        .filter((name) => !others.some(({ text }) => text.includes(name)))
        .map((name) => `nothing in ${folders.join(' or ')} names ${name}`);
    });
    expect(unnamed).toEqual([]);
  });

  it('no file only re-exports, and none is a collection of unrelated helpers', () => {
    const barrels = files.filter(({ path, text }) => {
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim();
      const rest = code.replaceAll(/export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?\s+from\s+'[^']+';?/g, '');
      return (code !== '' && rest.trim() === '') || /(^|\/)index\.tsx?$/.test(path);
    });
    expect(barrels.map(({ path }) => path)).toEqual([]);
    const collections = files.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|misc)(\/|\.tsx?$)/.test(path),
    );
    expect(collections.map(({ path }) => path)).toEqual([]);
  });

  it('no file lies loose at the root of shared or lib, except the construct and our stack of it', () => {
    const loose = [...inFolder('shared'), ...inFolder('lib')].filter(
      ({ path }) => path.split('/').length === 2,
    );
    expect(loose.map(({ path }) => path)).toEqual(['lib/gateway-stack.ts', 'lib/messaging-gateway.ts']);
  });

  it('a function that the API does not call is deployed by a file that its name begins', () => {
    const called = [routes, adminRoutes, carrierRoutes, { unmatchedRoute }].flatMap(Object.values<Route>);
    const operations = called.map(({ functionName }) => functionName);
    const missing = inFolder('functions')
      .map(({ path }) => basename(path, '.ts'))
      .filter((name) => !operations.some((operation) => operation === name))
      .filter((name) => {
        const deploying = inFolder('lib/capabilities').find(
          ({ path }) => basename(path) === `${name}-function.ts`,
        );
        return deploying?.text.includes(`functionName: '${name}'`) !== true;
      });
    expect(missing).toEqual([]);
  });

  it('every text for a queue or a schedule is escaped: SQS refuses some characters', () => {
    const senders = inFolder('shared').filter(({ text }) =>
      /new (SendMessage(Batch)?|CreateSchedule)Command\(/.test(text),
    );
    expect(senders.length).toBeGreaterThan(2);
    expect(senders.filter(({ text }) => !/\bqueueText\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
