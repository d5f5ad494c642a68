import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files by their path from the root, packages by their name. */
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const importForms =
  /(?:^|\n)\s*(?:import|export)\s+(?<type>type\s)?(?:[^'";]*?\sfrom\s+)?'(?<from>[^']+)'|\bimport\(\s*'(?<lazy>[^']+)'\s*\)/g;

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = Array.from(text.matchAll(importForms), ({ groups }) => {
    const given = groups?.from ?? groups?.lazy ?? '';
    const target = given.startsWith('.') ? relative(root, join(root, dirname(path), given)) : given;
    return { target, typeOnly: groups?.type !== undefined };
  });
  return { path, text, imports };
}

function filesOf(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => read(join(folder, path)));
}

const files: readonly SourceFile[] = ['bin', 'lib', 'functions', 'shared'].flatMap(filesOf);
const inFolder = (folder: string): SourceFile[] => files.filter(({ path }) => path.startsWith(`${folder}/`));
const dashboard = 'functions/admin-dashboard/web/';

/** What of the imports of these files is not allowed, in words. */
function violations(
  of: readonly SourceFile[],
  allowed: (target: string, file: SourceFile, typeOnly: boolean) => boolean,
): string[] {
  return of.flatMap((file) =>
    file.imports
      .filter(({ target, typeOnly }) => !allowed(target, file, typeOnly))
      .map(({ target }) => `${file.path} imports ${target}`),
  );
}

const ours = (target: string): boolean => /^(bin|lib|functions|shared|test)\//.test(target);
const within = (folders: readonly string[]) => (target: string) =>
  !ours(target) || folders.some((folder) => target.startsWith(`${folder}/`));

describe('who may import whom', () => {
  it('the check itself sees every file and its imports', () => {
    const relay = files.find(({ path }) => path === 'functions/relay-changes.ts');
    expect(relay?.imports).toContainEqual({ target: 'shared/relay/relay.ts', typeOnly: false });
    expect(relay?.imports).toContainEqual({ target: 'aws-lambda', typeOnly: true });
    expect(read('shared/carrier/choose.ts').imports.map(({ target }) => target)).toContain(
      'shared/carrier/aws-sms.ts',
    );
    const unknown = files
      .flatMap((file) => file.imports)
      // The guide's programs are shown as they stand, in whatever language they are.
      .filter(({ target }) => ours(target) && !/\.(tsx?|json|css)$|^shared\/openapi\/guide\//.test(target));
    expect(unknown).toEqual([]);
  });

  it('bin imports lib and shared', () => {
    expect(violations(inFolder('bin'), within(['bin', 'lib', 'shared']))).toEqual([]);
  });

  it('lib imports of shared only the routes, the names of the environment and the form of its prices', () => {
    const allowed = ['shared/routes.ts', 'shared/env.ts', 'shared/price-table.ts'];
    expect(
      violations(inFolder('lib'), (target) => within(['lib'])(target) || allowed.includes(target)),
    ).toEqual([]);
  });

  it('functions import shared only, and no function another', () => {
    const wiring = inFolder('functions').filter(({ path }) => !path.startsWith(dashboard));
    expect(violations(wiring, within(['shared']))).toEqual([]);
  });

  it('shared imports shared only', () => {
    expect(violations(inFolder('shared'), within(['shared']))).toEqual([]);
  });

  it('the domain knows nothing of Lambda: its types are for functions, and for the ways in', () => {
    const waysIn = ['shared/http.ts', 'shared/batch.ts', 'shared/admin/admin-api.ts'];
    const domain = inFolder('shared').filter(({ path }) => !waysIn.includes(path));
    expect(violations(domain, (target) => target !== 'aws-lambda' && !target.startsWith('@middy/'))).toEqual(
      [],
    );
  });

  it('the SDK is spoken to in adapters, and made where clients are made', () => {
    const adapters =
      /\.(dynamo|sqs|scheduler|kms|secrets|cloudformation)\.ts$|^shared\/carrier\/aws-[a-z]+\.ts$/;
    const others = inFolder('shared')
      .concat(inFolder('functions'))
      .filter(
        ({ path }) => !adapters.test(path) && path !== 'shared/aws.ts' && !path.startsWith('shared/sdk/'),
      );
    expect(violations(others, (target) => !target.startsWith('@aws-sdk/'))).toEqual([]);
  });

  it('the CDK is known to bin and lib alone', () => {
    const others = inFolder('shared').concat(inFolder('functions'));
    expect(violations(others, (target) => !/^(aws-cdk-lib|constructs|@aws-cdk\/)/.test(target))).toEqual([]);
  });

  it('whatever is put on a queue goes through the one function that escapes what SQS does not accept', () => {
    const sending = /\b(SendMessage(Batch)?|CreateSchedule|UpdateSchedule|Publish(Batch)?)Command\b/;
    const senders = inFolder('shared').filter(({ text }) => sending.test(text));
    expect(senders.map(({ path }) => path).toSorted()).toEqual([
      'shared/one-shot.scheduler.ts',
      'shared/send-all.sqs.ts',
      'shared/set-aside/dead-letters.sqs.ts',
    ]);
    for (const { text } of senders) expect(text).toMatch(/\bqueueText\(/);
  });

  it('the environment is read in one file, and in bin', () => {
    const readers = files
      // In quotes it is the name of what the bundler replaces.
      .filter(({ text }) => /(?<!')\bprocess\.env\b/.test(text))
      .map(({ path }) => path)
      .filter((path) => path !== 'shared/env.ts' && !path.startsWith('bin/'));
    expect(readers).toEqual([]);
  });

  it('no file needs itself, by whatever round', () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target),
      ]),
    );
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('the rooms of the domain stand one above the other: where one knows of another, that one knows nothing of it', () => {
    const roomOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const rooms = new Map<string, Set<string>>();
    for (const { path, imports } of inFolder('shared')) {
      const known = rooms.get(roomOf(path)) ?? new Set();
      rooms.set(roomOf(path), known);
      for (const { target } of imports) {
        if (target.startsWith('shared/') && roomOf(target) !== roomOf(path)) known.add(roomOf(target));
      }
    }
    const graph = new Map(Array.from(rooms, ([room, known]) => [room, [...known]]));
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('what the functions hold is a dependency, what only builds, deploys and tests is not', () => {
    // What the bundles have in the place of a part of the SDK, nobody imports.
    const starts = inFolder('functions').concat(inFolder('shared/sdk'));
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

  it('nothing is exported that no other file names', () => {
    const all = files.concat(filesOf('test'));
    const words = new Map(all.map(({ path, text }) => [path, new Set(text.match(/\w+/g))]));
    const named = (name: string, by: string): boolean =>
      all.some(({ path }) => path !== by && words.get(path)?.has(name) === true);
    const lonely = files
      // What a bundle has in the place of a part of the SDK is named by the SDK.
      .filter(({ path }) => !path.startsWith('shared/sdk/'))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm),
          ([, name = '']) => name,
        )
          .filter((name) => !named(name, path))
          .map((name) => `${path} exports ${name}`),
      );
    expect(lonely).toEqual([]);
  });

  it('no file only passes on what others export, and none is a drawer for all sorts', () => {
    const barrels = files.filter(({ path, text }) => {
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim();
      const rest = code.replaceAll(/export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?\s+from\s+'[^']+';?/g, '');
      return (code !== '' && rest.trim() === '') || /(^|\/)index\.tsx?$/.test(path);
    });
    expect(barrels.map(({ path }) => path).filter((path) => !path.startsWith(dashboard))).toEqual([]);
    const drawers = files.filter(({ path }) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.tsx?$)/.test(path));
    expect(drawers.map(({ path }) => path)).toEqual([]);
  });
});

/** These files, and all that they import, by whatever round. */
function reachedFrom(paths: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target, typeOnly } of files.find((file) => file.path === path)?.imports ?? []) {
      if (!typeOnly) visit(target);
    }
  };
  for (const path of paths) visit(path);
  return reached;
}

/** Each cycle once, as the road around it. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, road: readonly string[]): void => {
    if (road.includes(path)) {
      cycles.push([...road.slice(road.indexOf(path)), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...road, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
