import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPython, type Probe } from '../../../../lib/local/python.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

const machine =
  (installed: Record<string, Awaited<ReturnType<Probe>>>): Probe =>
  async (interpreter) =>
    installed[interpreter];

describe('the search for Python', () => {
  it('takes the first that is 3.10 or later and has venv', async () => {
    const found = await findPython(
      machine({
        python3: { version: '3.9', hasVenv: true },
        'python3.12': { version: '3.12', hasVenv: false },
        'python3.11': { version: '3.11', hasVenv: true },
      }),
    );
    expect(found).toBe('python3.11');
  });

  it('says what to install where there is no Python', async () => {
    await expect(findPython(machine({}))).rejects.toThrow(
      'Python 3.10 or later is needed, but there is no Python on the path; install it.',
    );
  });

  it('says which Python is too old', async () => {
    await expect(findPython(machine({ python3: { version: '3.9', hasVenv: true } }))).rejects.toThrow(
      'Python 3.10 or later is needed, and python3 is 3.9; install a newer one.',
    );
  });

  it('says how to get the venv module where only that is missing', async () => {
    await expect(findPython(machine({ python3: { version: '3.12', hasVenv: false } }))).rejects.toThrow(
      /^Python 3\.12 lacks its venv module; install it/,
    );
  });
});

describe('the Python packages', () => {
  it.each(['lib/local', 'test/deploy', 'test/fuzz'])(
    'of %s are all pinned, each to the hashes of its published files',
    (folder) => {
      const linesOf = (file: string) =>
        readFileSync(join(root, folder, file), 'utf8')
          .replaceAll(/ *\\\n */g, ' ')
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'));
      const pinned = linesOf('requirements.txt');
      const withHashes = /^[a-z0-9-]+==[0-9a-z.]+( ;[^#]*?)?( --hash=sha256:[0-9a-f]{64})+$/;
      expect(pinned.filter((line) => !withHashes.test(line))).toEqual([]);
      const missing = linesOf('requirements.in').filter(
        (wanted) => !pinned.some((line) => line.startsWith(`${wanted.split(' ')[0]} `)),
      );
      expect(missing).toEqual([]);
    },
  );
});
