/** One minified ES module per function, made in a single pass; the same sources give the same bytes. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleDashboard } from './bundle-dashboard.ts';

const root = join(import.meta.dirname, '..');

export interface Bundle {
  /** The names of all functions there are. */
  readonly functionNames: readonly string[];
  /** The folder to upload for a function; its handler is `index.handler`. */
  folder(functionName: string): string;
  /** Removes the folders; a process that ends does it by itself. */
  remove(): void;
}

/** The function beside which the dashboard's files stand. */
const dashboard = 'admin-dashboard';

let bundle: Bundle | undefined;

/** The bundles of every entry in `functions/`, made once per process however many stacks are synthesized. */
export function bundleFunctions(): Bundle {
  bundle ??= build();
  return bundle;
}

function build(): Bundle {
  const functionNames = readdirSync(join(root, 'functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => parse(file).name)
    .sort();
  const outdir = mkdtempSync(join(tmpdir(), 'messaging-gateway-bundle-'));
  const remove = (): void => rmSync(outdir, { recursive: true, force: true });
  process.once('exit', remove);
  buildSync({
    absWorkingDir: root,
    entryPoints: functionNames.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    keepNames: true,
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    // Some dependencies are CommonJS and call require(), which an ES module does not have.
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  const { firstViewBytes, wholeBytes } = bundleDashboard(root, join(outdir, dashboard));
  process.stderr.write(
    `Dashboard, by gzip: ${kilobytes(firstViewBytes)} KB to sign in, ${kilobytes(wholeBytes)} KB in all\n`,
  );
  return {
    functionNames,
    remove,
    folder(functionName) {
      if (!functionNames.includes(functionName)) throw new Error(`no functions/${functionName}.ts`);
      return join(outdir, functionName);
    },
  };
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000);
}
