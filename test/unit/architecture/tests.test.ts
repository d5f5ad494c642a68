import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { type Route, routes } from '../../../shared/contract/routes.ts';
import { parts, suites } from '../../parts.ts';
import { files, filesOf, inFolder, type SourceFile } from '../../support/architecture/source-files.ts';

describe('the folder of a test', () => {
  it('tests that need an engine are in a folder that has one', () => {
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
        if (/^test\/(engine|e2e|long|browser|local|release)\//.test(path)) return false;
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

it('each operation of the API has a test over HTTP that names its path', () => {
  const texts = ['test/e2e', 'test/browser', 'test/check'].flatMap(filesOf).map(({ text }) => text);
  const untested = Object.values<Route>(routes)
    .filter(({ path }) => path.startsWith('/api/v1/'))
    .filter(({ path }) => {
      const [start = '', parameter] = path.split('{');
      const named = new RegExp(parameter === undefined ? `${start}['"\`?]` : start);
      return !texts.some((text) => named.test(text));
    });
  expect(untested.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

it('each part of the tests is run by a suite, and each suite runs parts that there are', () => {
  const names = Object.values(suites)
    .flat(2)
    .map((step) => step.split(' ')[0] ?? '');
  expect(new Set(names)).toEqual(new Set(Object.keys(parts)));
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
