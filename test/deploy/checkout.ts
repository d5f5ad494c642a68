/** Copies of the sources as in a platform team's checkout, for deploys of code that differs. */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const sources = [
  'bin',
  'clients',
  'lib',
  'functions',
  'dashboard',
  'shared',
  'test',
  'docs/guides',
  'package.json',
  'cdk.json',
  'tsconfig.json',
];

export interface Checkout {
  readonly folder: string;
  /**
   * Replaces a text by another one.
   *
   * @throws Error if the text is missing, so that an edit never silently does nothing.
   */
  edit(file: string, from: string, to: string): Promise<void>;
  /** Changes the code of every function, each by a line that names the release. */
  release(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** Copies what is checked out here. */
export async function checkout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-checkout-'));
  for (const source of sources) await cp(join(root, source), join(folder, source), { recursive: true });
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
        'shared/contract/routes.ts',
        'export const version = ',
        `export const version = '${name}'; void `,
      );
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
