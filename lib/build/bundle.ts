/**
 * Bundles each function into one file, as small as possible, because each KB delays the function's start. The same sources
 * always give the same bytes.
 *
 * Why: docs/decisions/bundles-are-commonjs.md
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, parse, relative } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import numberingPlans from 'libphonenumber-js/metadata.min.json';
import { bundleDashboard } from './bundle-dashboard.ts';
import { bundleDocs } from './bundle-docs.ts';
import { functionsWithCarriers, writeCarrierLists } from './stage-carriers.ts';

const root = join(import.meta.dirname, '..', '..');

/**
 * The index of a country's number formats in the metadata. The formats are most of the metadata, and no function uses them.
 */
const writtenForms = 4;
const plansWithoutForms = {
  ...numberingPlans,
  countries: Object.fromEntries(
    Object.entries(numberingPlans.countries).map(([code, plan]) => [
      code,
      plan.map((field, place) => (place === writtenForms ? 0 : field)),
    ]),
  ),
};

/**
 * Bundles are CommonJS: if an ES module imports `node:http`, Node loads its whole HTTP client (undici), which takes 15 ms
 * of each start. Function names are removed, because they are a tenth of the bytes. `npm run bench -- start` measures these
 * savings.
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
  // Modules of the SDK that no function needs. `npm run bench -- start` measures how much each one saves.
  alias: {
    '@aws-sdk/credential-provider-node': join(root, 'lib/build/sdk-stubs/lambda-credentials.ts'),
    '@aws-sdk/middleware-endpoint-discovery': join(root, 'lib/build/sdk-stubs/no-endpoint-discovery.ts'),
    '@smithy/core/checksum': join(root, 'lib/build/sdk-stubs/native-checksums.ts'),
    '@smithy/core/event-streams': join(root, 'lib/build/sdk-stubs/no-event-streams.ts'),
    // The metadata is stored as JSON text, because V8 parses JSON faster than code.
    'libphonenumber-js/metadata.min.json': `data:text/javascript,${encodeURIComponent(`export default JSON.parse(${JSON.stringify(JSON.stringify(plansWithoutForms))});`)}`,
  },
  logLevel: 'error',
} satisfies BuildOptions;

/** The function whose bundle contains the dashboard's files. */
const dashboard = 'admin-dashboard';
/** The function whose bundle contains the API's description. */
const description = 'describe-api';

let bundle: ReturnType<typeof build> | undefined;

/** Returns the bundles of all files in `functions/`, built once for each process. */
export function bundleFunctions() {
  bundle ??= build();
  return bundle;
}

/** Bundles are cached here, by the hash of their sources. */
const cacheFolder = join(root, '.local', 'bundles');
/** The sources of the bundles, relative to the project's root. */
const sources = [
  'functions',
  'dashboard',
  'shared',
  'lib',
  'docs/guides',
  'package.json',
  'package-lock.json',
];
const cachedDays = 7;

function build() {
  const functionNames = readdirSync(join(root, 'functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => parse(file).name)
    .sort();
  const outdir = madeOnce(join(cacheFolder, hashOf(sources)), (making) => makeAll(making, functionNames));
  return {
    /** The names of all functions. */
    functionNames: functionNames as readonly string[],
    /**
     * Returns the folder to upload for a function, with these additional files. The handler is `index.handler`. If
     * `carriers` is given, the bundle contains only these carriers.
     */
    folder(
      functionName: string,
      files: Readonly<Record<string, string>> = {},
      carriers?: readonly string[],
    ): string {
      if (!functionNames.includes(functionName)) throw new Error(`no functions/${functionName}.ts`);
      const isOfStage = carriers !== undefined && functionsWithCarriers.includes(functionName);
      const folder = join(isOfStage ? ofCarriers(outdir, carriers) : outdir, functionName);
      return Object.keys(files).length === 0 ? folder : withFiles(folder, files);
    },
  };
}

/** Returns the bundles of the functions that use carriers, with only these carriers. */
function ofCarriers(outdir: string, carriers: readonly string[]): string {
  return madeOnce(`${outdir}.${[...carriers].sort().join('-')}`, (making, place) => {
    // The lists are written beside the bundles, because the path of a temporary folder would change the bundles' bytes.
    const lists = join(cacheFolder, 'lists', parse(place).base);
    const alias = writeCarrierLists(lists, root, [...carriers].sort());
    bundleInto(making, functionsWithCarriers, { ...bundleSettings.alias, ...alias });
  });
}

/** Returns a copy of a function's folder with the stage's files. */
function withFiles(folder: string, files: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  return madeOnce(`${folder}.${hash}`, (making) => {
    cpSync(folder, making, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(making, name), text);
  });
}

function makeAll(making: string, functionNames: readonly string[]): void {
  removeOld();
  // The project's package.json says `module`, but the bundles are CommonJS.
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(join(cacheFolder, 'package.json'), '{ "type": "commonjs" }\n');
  bundleInto(making, functionNames);
  bundleDocs(root, join(making, description));
  bundleDashboard(root, join(making, dashboard));
}

function bundleInto(
  outdir: string,
  functionNames: readonly string[],
  alias: Readonly<Record<string, string>> = bundleSettings.alias,
): void {
  buildSync({
    ...bundleSettings,
    alias,
    entryPoints: functionNames.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir,
  });
}

/**
 * Returns the folder, and creates it if it is missing. The folder is written under a temporary name and then renamed, so
 * that no process sees a partial folder. If two processes create it at once, the first one is kept.
 */
function madeOnce(place: string, make: (making: string, place: string) => void): string {
  if (existsSync(place)) return place;
  const making = `${place}.${process.pid}`;
  make(making, place);
  try {
    renameSync(making, place);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  return place;
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.map((name) => join(root, name)).filter((path) => existsSync(path))) {
    for (const file of filesOf(path)) hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

function removeOld(): void {
  if (!existsSync(cacheFolder)) return;
  const oldest = Date.now() - cachedDays * 86_400_000;
  for (const name of readdirSync(cacheFolder)) {
    const folder = join(cacheFolder, name);
    if ((statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
