/** pip installs the packages of the emulator, and checks their hashes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pythonWithPackages } from '../../lib/local/python.ts';

it('refuses a Python package without a hash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-python-'));
  try {
    const project = join(folder, 'unpinned');
    await mkdir(project);
    await writeFile(join(project, 'setup.py'), 'from setuptools import setup\nsetup(name="unpinned")\n');
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, `${project}\n`);
    const installing = pythonWithPackages(
      folder,
      () => undefined,
      new AbortController().signal,
      requirements,
    );
    await expect(installing).rejects.toThrow('The AWS emulator could not be installed');
    await expect(installing).rejects.toMatchObject({ cause: { stderr: expect.stringMatching(/hash/i) } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
