/**
 * Builds the folder of the package `messaging-gateway`: the construct, its type declarations, the functions' bundles, and
 * the administrators' command. The construct is one CommonJS file, like the CDK, so both `require` and `import` can load
 * it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundleFunctions } from '../bundle.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const entry = 'lib/messaging-gateway.ts';
/** The name of the administrators' command. */
const command = 'messaging-gateway-admin';

/**
 * The version ranges of the peer dependencies. The tests install the oldest version in each range, and the version that
 * this project uses.
 */
export const testedPeers = { 'aws-cdk-lib': '^2.270.0', constructs: '^10.5.1' } as const;

/**
 * The oldest version of Node with which a test runs the package. Older versions lack `hash` of `node:crypto`, which the
 * administrators' command needs.
 */
export const oldestNode = '20.12.0';

/** @param folder - the folder to write, which is emptied first */
export async function packageConstruct(folder: string, version: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'functions'), { recursive: true });
  const options = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'inline',
    logLevel: 'error',
  } satisfies BuildOptions;
  await build({
    ...options,
    entryPoints: [entry],
    outfile: join(folder, 'index.js'),
    format: 'cjs',
    // The class keeps its name, because the CDK and its users read it.
    keepNames: true,
    external: ['aws-cdk-lib', 'constructs'],
    define: { 'import.meta.dirname': '__dirname' },
    plugins: [withPackagedBundles],
  });
  await build({
    ...options,
    entryPoints: ['bin/admin.ts'],
    outfile: join(folder, 'admin.mjs'),
    format: 'esm',
    inject: [join(import.meta.dirname, 'for-node-20.ts')],
    define: { packagedCommand: JSON.stringify(`npx ${command}`) },
    // Some bundled packages are CommonJS and load Node's modules with `require`.
    banner: { js: `#!/usr/bin/env node\nimport { createRequire } from 'node:module';\n${requireOfModule}` },
  });
  const bundles = bundleFunctions();
  for (const name of bundles.functionNames)
    cpSync(bundles.folder(name), join(folder, 'functions', name), { recursive: true });
  declareTypes(folder);
  for (const file of ['LICENSE', 'lib/stages/countries-sample.json'])
    cpSync(join(root, file), join(folder, file.split('/').at(-1) ?? file));
  cpSync(join(root, 'docs/construct.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(version), undefined, 2)}\n`);
}

const requireOfModule = 'const require = createRequire(import.meta.url);';

const withPackagedBundles: Plugin = {
  name: 'packaged-bundles',
  setup(building) {
    building.onResolve({ filter: /\/build\/bundle\.ts$/ }, () => ({
      path: join(import.meta.dirname, 'packaged-bundles.ts'),
    }));
  },
};

/** Writes the type declarations of the construct and of its imports, with the file extensions that compilers expect. */
function declareTypes(folder: string): void {
  const all = join(root, '.local', 'declarations');
  rmSync(all, { recursive: true, force: true });
  mkdirSync(all, { recursive: true });
  const config = join(all, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: root,
        outDir: all,
      },
      include: [],
      files: [join(root, entry)],
    }),
  );
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', config], { cwd: root, stdio: 'inherit' });
  const needed = new Set([entry]);
  for (const path of needed) {
    const text = readFileSync(join(all, path.replace(/\.ts$/, '.d.ts')), 'utf8');
    for (const [, imported = ''] of text.matchAll(/from '(\.[^']*\.ts)'/g))
      needed.add(relative(all, join(all, dirname(path), imported)));
    const file = join(folder, 'types', path.replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

function manifest(version: string) {
  const { license, author, homepage, description } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return {
    name: 'messaging-gateway',
    version,
    description,
    license,
    author,
    homepage,
    keywords: ['aws-cdk', 'cdk', 'sms', 'whatsapp', 'otp', 'webhooks'],
    engines: { node: `>=${oldestNode}` },
    main: './index.js',
    types: './types/lib/messaging-gateway.d.ts',
    bin: { [command]: './admin.mjs' },
    exports: {
      '.': { types: './types/lib/messaging-gateway.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    peerDependencies: testedPeers,
  };
}
