/** Copies of the sources as in a platform team's checkout, for deploys of code that differs. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const sources = [
  'bin',
  'clients',
  'lib',
  'functions',
  'dashboard',
  'shared',
  'test',
  'CHANGELOG.md',
  'package.json',
  'cdk.json',
  'tsconfig.json',
];

export interface Checkout {
  readonly folder: string;
  /**
   * Puts one text in the place of another.
   *
   * @throws Error where the text is not there, so that an edit never silently does nothing.
   */
  edit(file: string, from: string, to: string): Promise<void>;
  /** Changes the code of every function, each by a line that names the release. */
  release(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** What is checked out here. */
export async function checkout(): Promise<Checkout> {
  return checkoutIn(await newFolder(), async (folder) => {
    for (const source of sources) await cp(join(root, source), join(folder, source), { recursive: true });
  });
}

/** @returns undefined where git does not know the commit */
export async function checkoutOf(commit: string): Promise<Checkout | undefined> {
  const git = (...parameters: string[]) => run('git', ['-C', root, ...parameters]);
  const isKnown = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  );
  if (!isKnown) return undefined;
  return checkoutIn(await newFolder(), async (folder) => {
    const archive = join(folder, 'release.tar');
    await git('archive', '--output', archive, commit, ...sources);
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
  });
}

const newFolder = () => mkdtemp(join(tmpdir(), 'messaging-gateway-checkout-'));

async function checkoutIn(folder: string, fill: (folder: string) => Promise<void>): Promise<Checkout> {
  await fill(folder);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

  async function edit(file: string, from: string, to: string): Promise<void> {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not hold: ${from}`);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  return {
    folder,
    edit,
    async release(name) {
      const files = (await readdir(join(folder, 'functions'))).filter((file) => file.endsWith('.ts'));
      for (const file of files) {
        const path = join(folder, 'functions', file);
        await writeFile(
          path,
          `${await readFile(path, 'utf8')}\nObject.assign(globalThis, { release: '${name}' });\n`,
        );
      }
      await edit(
        'shared/contract/api.ts',
        'export const version = ',
        `export const version = '${name}'; void `,
      );
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
