/**
 * The code of the functions for the simulation: bundles of `functions/*.ts` as they are deployed, but for the places where
 * they reach the network: the request handler of the AWS clients, their signatures, which nobody checks here, and the POST
 * of a webhook. The largest packages are evaluated once for all processes: what each process evaluates anew runs cold, because
 * V8 optimizes the closures of every evaluation on their own. They keep nothing between calls: clients, their retries and
 * caches are made by the functions' own code, which each process evaluates.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundleSettings } from '../../../../lib/build/bundle.ts';
import { processGlobals, sharedGlobals } from './process-globals.ts';
import { changedText, type SourceChange } from './source-change.ts';

/** Evaluates the code of a function once, as a new process does. */
export type FunctionCode = () => Readonly<Record<string, unknown>>;

const root = bundleSettings.absWorkingDir;
const stubs = join(import.meta.dirname, '../network-stubs');
const networkOf: Readonly<Record<string, string>> = {
  '@smithy/node-http-handler': join(stubs, 'request-handler.ts'),
  '/http-post.ts': join(stubs, 'webhook-post.ts'),
  '@smithy/signature-v4': join(stubs, 'no-signature.ts'),
};

interface BuiltCode {
  readonly functions: ReadonlyMap<string, FunctionCode>;
  /** The functions whose bundles have the file. */
  readonly namesWith: (file: string) => readonly string[];
}

export async function functionCode(
  names: readonly string[],
  changes: readonly SourceChange[] = [],
): Promise<BuiltCode> {
  const changed = new Set<SourceChange>();
  const { outputFiles, metafile } = await build({
    ...bundleSettings,
    minify: false,
    metafile: true,
    entryPoints: names.map((name) => `functions/${name}.ts`),
    outdir: 'never-written',
    write: false,
    plugins: [simulatedNetwork, packagesApart, sourceChanges(changes, changed)],
  });
  const missed = changes.find((change) => !changed.has(change));
  if (missed !== undefined) throw new Error(`${missed.file} is in none of these functions`);
  const outputs = Object.values(metafile.outputs);
  const imports = new Set(outputs.flatMap((output) => output.imports.map(({ path }) => path)));
  await evaluatePackages([...imports].filter((name) => packageNames.test(name)));
  return {
    functions: new Map(
      names.map((name, index) => [name, evaluated(name, withoutCopies(outputFiles[index]?.text ?? ''))]),
    ),
    namesWith: (file) =>
      names.filter((name) =>
        outputs.some(({ entryPoint, inputs }) => entryPoint === `functions/${name}.ts` && file in inputs),
      ),
  };
}

const simulatedNetwork: Plugin = {
  name: 'simulated-network',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/(node-http-handler|signature-v4)$|\/http-post\.ts$/ }, ({ path }) => ({
      path: networkOf[path.startsWith('@') ? path : path.slice(path.lastIndexOf('/'))] ?? '',
    }));
  },
};

const packageNames = /^(@aws-sdk|@smithy|zod|jose|libphonenumber-js)\b/;

const packagesApart: Plugin = {
  name: 'packages-apart',
  setup({ onResolve }) {
    onResolve({ filter: packageNames }, ({ path }) => ({ path, external: true }));
  },
};

const packages = new Map<string, unknown>();
const shared = sharedGlobals((name) => packages.get(name));
const globals = processGlobals.map((name) => shared[name]);

/** Evaluates the packages that are not there yet. They see the process that calls them. */
async function evaluatePackages(wanted: readonly string[]): Promise<void> {
  const names = wanted.filter((name) => !packages.has(name));
  if (names.length === 0) return;
  const { outputFiles } = await build({
    ...bundleSettings,
    minify: false,
    stdin: {
      contents: names.map((name, i) => `export * as package${i} from '${name}';`).join('\n'),
      resolveDir: root,
    },
    write: false,
    plugins: [simulatedNetwork],
  });
  const evaluatedPackages = evaluated('packages', outputFiles[0]?.text ?? '')();
  for (const [i, name] of names.entries()) packages.set(name, evaluatedPackages[`package${i}`]);
}

function sourceChanges(changes: readonly SourceChange[], changed: Set<SourceChange>): Plugin {
  return {
    name: 'source-changes',
    setup({ onLoad }) {
      if (changes.length === 0) return;
      onLoad({ filter: /\/(functions|shared)\/.*\.ts$/ }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        for (const change of changes.filter(({ file }) => file === relative(root, path))) {
          contents = changedText(contents, change);
          changed.add(change);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * Removes the copy of each package's exports that esbuild makes for a default import, which would cost time at every start of a
 * process.
 */
function withoutCopies(code: string): string {
  return code.replace(/__toESM\((require\("([^"]+)"\))(?:, 1)?\)/g, (whole, required, name) =>
    packageNames.test(name) ? required : whole,
  );
}

/**
 * The globals of a process are parameters of a function around the code, so that all processes share one realm, whose
 * classes they can test for, and V8 compiles the code once.
 */
function evaluated(name: string, code: string): FunctionCode {
  const parameters = ['module', 'exports', '__dirname', ...processGlobals].join(', ');
  const wrapper = new Script(`(function (${parameters}) {${code}\n})`, { filename: `${name}.cjs` });
  const run = wrapper.runInThisContext() as (...values: unknown[]) => void;
  return () => {
    const module = { exports: {} };
    run(module, module.exports, '/var/task', ...globals);
    return module.exports;
  };
}
