/** One small file per function, made in a single pass; the same sources give the same bytes. Size is start-up time. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundleDashboard } from './bundle-dashboard.ts';

const root = join(import.meta.dirname, '..');

/**
 * CommonJS, because an ES module that imports `node:http` has Node load all of its HTTP client (undici) to learn
 * its names: 15 ms of each start. Names are not kept: nothing reads them, and they are a tenth of the bytes.
 * `npm run bench:start` shows what each choice is worth.
 */
export const bundleSettings = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  legalComments: 'none',
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  define: { 'import.meta.dirname': '__dirname' },
  // Parts of the SDK that no function uses; each replacement says why.
  alias: {
    '@aws-sdk/credential-provider-node': join(root, 'shared/sdk/lambda-credentials.ts'),
    '@aws-sdk/endpoint-cache': join(root, 'shared/sdk/no-endpoint-cache.ts'),
    '@smithy/core/event-streams': join(root, 'shared/sdk/no-event-streams.ts'),
  },
  logLevel: 'error',
} satisfies BuildOptions;

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
    ...bundleSettings,
    entryPoints: functionNames.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir,
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
