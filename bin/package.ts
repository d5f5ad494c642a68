/**
 * `npm run package`: writes what a release publishes into `dist`: the CDK construct and the client for TypeScript as
 * tarballs of npm, and the client for Python as a wheel and an sdist. All packages must have the version in the gateway's
 * package.json; otherwise nothing is written. `npm run package -- construct` writes only the construct.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageConstruct } from '../lib/build/package/package-construct.ts';
import { pythonWithPackages } from '../lib/local/python.ts';
import { version } from '../shared/contract/routes.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const typescript = join(root, 'clients/typescript');
const python = join(root, 'clients/python');

const versions = {
  'package.json': /"version": "(.*)"/,
  'clients/typescript/package.json': /"version": "(.*)"/,
  'clients/typescript/src/version.ts': /version = '(.*)'/,
  'clients/python/pyproject.toml': /^version = "(.*)"/m,
  'clients/python/src/messaging_gateway/version.py': /VERSION = "(.*)"/,
};
for (const [path, pattern] of Object.entries(versions)) {
  const found = pattern.exec(readFileSync(join(root, path), 'utf8'))?.[1];
  if (found !== version) throw new Error(`${path} has version ${found}, and the gateway ${version}`);
}

const run = (command: string, args: readonly string[], cwd: string): void => {
  execFileSync(command, [...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
};

const onlyConstruct = process.argv[2] === 'construct';
if (!onlyConstruct) rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const construct = join(root, '.local/package');
await packageConstruct(construct, version);
run('npm', ['pack', '--silent', '--pack-destination', dist], construct);
if (!onlyConstruct) await packageClients();

const ofClients = [
  `messaging-gateway-client-${version}.tgz`,
  `messaging_gateway_client-${version}-py3-none-any.whl`,
  `messaging_gateway_client-${version}.tar.gz`,
];
const wanted = [`messaging-gateway-${version}.tgz`, ...(onlyConstruct ? [] : ofClients)];
for (const name of wanted)
  if (!existsSync(join(dist, name))) throw new Error(`dist has no ${name}: ${readdirSync(dist).join(', ')}`);
process.stdout.write(`${wanted.map((name) => join('dist', name)).join('\n')}\n`);

async function packageClients(): Promise<void> {
  run('npm', ['pack', '--silent', '--pack-destination', dist], typescript);
  const interpreter = await pythonWithPackages(
    join(root, '.local/clients'),
    () => process.stdout.write('Installing the tools for Python (once)\n'),
    new AbortController().signal,
    join(python, 'requirements-dev.txt'),
  );
  run(interpreter, ['-m', 'build', '--no-isolation', '--outdir', dist, python], root);
}
