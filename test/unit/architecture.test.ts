import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

const root = join(import.meta.dirname, '..', '..');

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

const sourceFolders = ['bin', 'lib', 'functions', 'dashboard', 'shared'];
const files: readonly SourceFile[] = sourceFolders.flatMap(filesOf);
const inFolder = (folder: string): SourceFile[] => files.filter(({ path }) => path.startsWith(`${folder}/`));
const sdkStubs = 'lib/build/sdk-stubs';

/** The imports of these files that are not allowed, in words. */
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

const ours = (target: string): boolean => /^(bin|lib|functions|dashboard|shared|test)\//.test(target);
const within = (folders: readonly string[]) => (target: string) =>
  !ours(target) || folders.some((folder) => target.startsWith(`${folder}/`));

describe('who may import whom', () => {
  it('the check itself sees every file and its imports', () => {
    const relay = files.find(({ path }) => path === 'functions/relay-changes.ts');
    expect(relay?.imports).toContainEqual({ target: 'shared/relay/relay.ts', typeOnly: false });
    expect(relay?.imports).toContainEqual({ target: 'aws-lambda', typeOnly: true });
    expect(read('shared/carrier/choose-carrier.ts').imports.map(({ target }) => target)).toContain(
      'shared/carrier/aws/aws-sms.ts',
    );
    const unknown = files
      .flatMap((file) => file.imports)
      // The guide shows its programs as text, in several languages.
      .filter(
        ({ target }) => ours(target) && !/\.(tsx?|json|css)$|^lib\/build\/openapi\/guide\//.test(target),
      );
    expect(unknown).toEqual([]);
  });

  it('bin imports lib and shared', () => {
    expect(violations(inFolder('bin'), within(['bin', 'lib', 'shared']))).toEqual([]);
  });

  it('lib imports the contract and the names of environment variables from shared; lib/build all of it', () => {
    const deployed = inFolder('lib').filter(({ path }) => !path.startsWith('lib/build/'));
    const allowed = (target: string): boolean =>
      within(['lib', 'shared/contract'])(target) || target === 'shared/platform/env.ts';
    expect(violations(deployed, allowed)).toEqual([]);
    expect(violations(inFolder('lib/build'), within(['lib/build', 'shared']))).toEqual([]);
  });

  it('functions import shared only, and no function another', () => {
    expect(violations(inFolder('functions'), within(['shared']))).toEqual([]);
  });

  it('the dashboard imports types of shared, and no code', () => {
    expect(
      violations(
        inFolder('dashboard'),
        (target, _, typeOnly) => within(['dashboard'])(target) || (typeOnly && target.startsWith('shared/')),
      ),
    ).toEqual([]);
  });

  it('shared imports shared only', () => {
    expect(violations(inFolder('shared'), within(['shared']))).toEqual([]);
  });

  it('the domain does not know Lambda: its types belong to functions, and to the adapters for them', () => {
    const adapters = [
      'shared/http/http-function.ts',
      'shared/http/request-context.ts',
      'shared/platform/process-queue-batch.ts',
    ];
    const domain = inFolder('shared').filter(({ path }) => !adapters.includes(path));
    expect(violations(domain, (target) => target !== 'aws-lambda' && !target.startsWith('@middy/'))).toEqual(
      [],
    );
  });

  it('only adapters import the AWS SDK', () => {
    const adapters =
      /\.(dynamo|sqs|scheduler|kms|secrets|cloudformation)\.ts$|^shared\/carrier\/aws\/aws-[a-z]+\.ts$|^shared\/platform\/aws\//;
    const others = [...inFolder('shared'), ...inFolder('functions')].filter(
      ({ path }) => !adapters.test(path),
    );
    expect(violations(others, (target) => !target.startsWith('@aws-sdk/'))).toEqual([]);
  });

  it('only bin and lib import the CDK', () => {
    const others = ['shared', 'functions', 'dashboard'].flatMap(inFolder);
    expect(violations(others, (target) => !/^(aws-cdk-lib|constructs|@aws-cdk\/)/.test(target))).toEqual([]);
  });

  it('the environment is read in one file, and in bin', () => {
    const readers = files
      // In quotes it is the name of what the bundler replaces.
      .filter(({ text }) => /(?<!')\bprocess\.env\b/.test(text))
      .map(({ path }) => path)
      .filter((path) => path !== 'shared/platform/env.ts' && !path.startsWith('bin/'));
    expect(readers).toEqual([]);
  });

  it('a function reads its environment once, and gives the values to what it composes', () => {
    const readers = inFolder('shared')
      .filter(({ text }) => /\breadEnvironment\(/.test(text))
      .map(({ path }) => path);
    // Which variables a carrier needs depends on the stage.
    expect(readers).toEqual(['shared/carrier/choose-carrier.ts']);
  });

  it('no imports form a cycle', () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target),
      ]),
    );
    expect(cyclesOf(graph)).toEqual([]);
  });

  it.each([
    { level: 'the folders of shared', depth: 2 },
    { level: 'the steps of a folder of shared', depth: 3 },
  ])('$level do not depend on each other in a cycle', ({ depth }) => {
    const folderOf = (path: string): string => dirname(path).split('/').slice(0, depth).join('/');
    // A file beside the steps is common to them, or puts them together.
    const isInside = (path: string): boolean => folderOf(path).split('/').length === depth;
    const graph = new Map<string, string[]>();
    for (const { path, imports } of inFolder('shared').filter((file) => isInside(file.path))) {
      const known = imports
        .map(({ target }) => target)
        .filter(
          (target) => target.startsWith('shared/') && isInside(target) && folderOf(target) !== folderOf(path),
        )
        .map(folderOf);
      graph.set(folderOf(path), [...(graph.get(folderOf(path)) ?? []), ...known]);
    }
    expect(graph.size).toBeGreaterThan(5);
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('packages that functions contain are dependencies, those that build, deploy and test are devDependencies', () => {
    // No file imports the stubs: the bundler puts them in the place of parts of the SDK.
    const starts = ['functions', 'dashboard', sdkStubs].flatMap(inFolder);
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
    const unused = files
      // The SDK uses the exports of its stubs.
      .filter(({ path }) => !path.startsWith(`${sdkStubs}/`))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm),
          ([, name = '']) => name,
        )
          .filter((name) => !named(name, path))
          .map((name) => `${path} exports ${name}`),
      );
    expect(unused).toEqual([]);
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

  it('no file lies loose at the root of shared or lib, except the stack', () => {
    const loose = [...inFolder('shared'), ...inFolder('lib')].filter(
      ({ path }) => path.split('/').length === 2,
    );
    expect(loose.map(({ path }) => path)).toEqual(['lib/gateway-stack.ts']);
  });

  it('tests that need an engine are in test/engine or test/e2e', () => {
    const all = new Map([...files, ...filesOf('test')].map((file) => [file.path, file]));
    const reaches = (path: string, wanted: string, seen = new Set<string>()): boolean => {
      if (path === wanted) return true;
      if (seen.has(path) || !path.startsWith('test/')) return false;
      seen.add(path);
      return all.get(path)?.imports.some(({ target }) => reaches(target, wanted, seen)) === true;
    };
    const wrong = filesOf('test')
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.test.ts'))
      .filter((path) => {
        const needsEngine =
          reaches(path, 'test/support/gateway/gateway.ts') || reaches(path, 'test/support/engine/tables.ts');
        const synthesizes = reaches(path, 'lib/gateway-stack.ts') || reaches(path, 'lib/build/bundle.ts');
        if (/^test\/(engine|e2e)\//.test(path)) return false;
        if (needsEngine) return true;
        return path.startsWith('test/unit/') ? synthesizes : !path.startsWith('test/template/');
      });
    expect(wrong).toEqual([]);
  });

  it('tests on the engine need no deployed gateway, and use every file that reads or writes a table', () => {
    const all = new Map([...files, ...filesOf('test')].map((file) => [file.path, file]));
    const used = new Set<string>();
    const visit = (path: string): void => {
      if (used.has(path)) return;
      used.add(path);
      for (const { target } of all.get(path)?.imports ?? []) visit(target);
    };
    for (const { path } of filesOf('test/engine')) visit(path);
    expect(used.has('test/support/gateway/gateway.ts')).toBe(false);
    const adapters = inFolder('shared')
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.dynamo.ts'));
    expect(adapters.filter((path) => !used.has(path))).toEqual([]);
  });
});

describe('a test', () => {
  it('fails when what it shows does not hold: each has an assertion', () => {
    const tests = filesOf('test')
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(testsIn);
    expect(tests.length).toBeGreaterThan(500);
    expect(tests.filter(({ asserts }) => !asserts).map(({ title }) => title)).toEqual([]);
    const empty = { path: 'x.test.ts', text: "it('shows nothing', () => { work(); });", imports: [] };
    expect(testsIn(empty)).toEqual([{ title: 'x.test.ts: shows nothing', asserts: false }]);
  });
});

/** Besides `expect…`: assertions of Playwright and of the CDK. */
const assertion = /^(expect\w*|waitFor|hasResourceProperties)$/;

/** Each `it` of a file, and whether it, or a function of the file that it calls, has an assertion. */
function testsIn({ path, text }: SourceFile): { readonly title: string; readonly asserts: boolean }[] {
  const nodes = nodesIn(parseSync(text, { syntax: 'typescript', target: 'es2024' }));
  const functions = new Map<unknown, unknown>();
  for (const { type, id, identifier, init, body } of nodes) {
    if (type === 'FunctionDeclaration') functions.set((identifier as Node).value, body);
    if (type === 'VariableDeclarator') functions.set((id as Node).value, init);
  }
  const known = new Map<unknown, boolean>();
  const asserts = (code: unknown): boolean =>
    nodesIn(code).some(({ type, value }) => {
      if (type !== 'Identifier') return false;
      if (assertion.test(String(value))) return true;
      if (known.has(value) || !functions.has(value)) return known.get(value) === true;
      // Until it is known: a function that calls itself.
      known.set(value, false);
      known.set(value, asserts(functions.get(value)));
      return known.get(value) === true;
    });
  return nodes
    .filter(({ type, callee }) => type === 'CallExpression' && functionName(callee) === 'it')
    .map((call) => (call.arguments as Node[]).map(({ expression }) => expression as Node))
    .filter((given) => given.some(isFunction))
    .map(([title, ...given]) => ({
      title: `${path}: ${String(title?.value)}`,
      asserts: asserts(given.filter(isFunction)),
    }));
}

type Node = Readonly<Record<string, unknown>>;

/** A syntax tree and everything in it. */
function nodesIn(tree: unknown, found: Node[] = []): Node[] {
  if (typeof tree !== 'object' || tree === null) return found;
  found.push(tree as Node);
  for (const inner of Object.values(tree)) nodesIn(inner, found);
  return found;
}

/** `it` of `it(…)`, `it.each(…)(…)` and `it.each`…`(…)`. */
function functionName(callee: unknown): unknown {
  const { type, value, object, tag, callee: inner } = (callee ?? {}) as Node;
  return type === 'Identifier'
    ? value
    : type === undefined
      ? undefined
      : functionName(object ?? tag ?? inner);
}

function isFunction({ type }: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

/** These files and all that they import, directly or not. */
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

/** Each cycle once, as the path along it. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
