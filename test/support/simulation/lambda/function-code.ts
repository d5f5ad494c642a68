/**
 * The code of the functions for the simulation: bundles of `functions/*.ts` as they are deployed, but for the places where
 * they reach the network: the request handler of the AWS clients, their signatures, which nobody checks here, and the POST
 * of a webhook.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundleSettings } from '../../../../lib/build/bundle.ts';
import { processGlobals } from './process-globals.ts';
import { changedText, type SourceChange } from './source-change.ts';

/** Evaluates the code of a function once, as a new process does. */
export type FunctionCode = (globals: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

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
    plugins: [simulatedNetwork, sourceChanges(changes, changed)],
  });
  const missed = changes.find((change) => !changed.has(change));
  if (missed !== undefined) throw new Error(`${missed.file} is in none of these functions`);
  const outputs = Object.values(metafile.outputs);
  return {
    functions: new Map(names.map((name, index) => [name, evaluated(name, outputFiles[index]?.text ?? '')])),
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
 * The globals of a process are parameters of a function around the code, so that all processes share one realm, whose
 * classes they can test for, and V8 compiles the code once.
 */
function evaluated(name: string, code: string): FunctionCode {
  const parameters = ['module', 'exports', '__dirname', ...processGlobals].join(', ');
  const wrapper = new Script(`(function (${parameters}) {${code}\n})`, { filename: `${name}.cjs` });
  const run = wrapper.runInThisContext() as (...values: unknown[]) => void;
  return (globals) => {
    const module = { exports: {} };
    run(module, module.exports, '/var/task', ...processGlobals.map((global) => globals[global]));
    return module.exports;
  };
}
