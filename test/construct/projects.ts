/** Empty folders in which the packed construct is installed, as a platform team does. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../shared/contract/routes.ts';
import { at, root, run } from '../clients/tools.ts';

export interface Projects {
  /** A folder made by `npm init`, with the tarball and these packages. */
  make(...packages: string[]): Promise<string>;
  /** A copy of a folder of `samples`, with the tarball, what it names itself, and these packages. */
  copy(sample: string, ...packages: string[]): Promise<string>;
  removeAll(): Promise<void>;
}

const tarball = join(root, 'dist', `messaging-gateway-${version}.tgz`);

export async function packedProjects(): Promise<Projects> {
  await run('npm', ['run', '--silent', 'package', '--', 'construct'], at(root));
  const made: string[] = [];
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'construct-'));
    made.push(folder);
    return folder;
  };
  const install = (folder: string, packages: readonly string[]) =>
    run('npm', ['install', '--no-audit', '--no-fund', '--save-exact', tarball, ...packages], at(folder));
  return {
    async make(...packages) {
      const folder = await newFolder();
      await run('npm', ['init', '--yes'], at(folder));
      await install(folder, packages);
      return folder;
    },
    async copy(sample, ...packages) {
      const folder = await newFolder();
      await cp(join(root, 'samples', sample), folder, { recursive: true });
      await install(folder, packages);
      return folder;
    },
    async removeAll() {
      for (const folder of made) await rm(folder, { recursive: true, force: true });
    },
  };
}
