/** What a newcomer reads who starts the gateway before `npm ci`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..');
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'messaging-gateway-clone-'));
  mkdirSync(join(clone, 'bin'));
  for (const file of ['package.json', 'bin/check-install.js']) cpSync(join(root, file), join(clone, file));
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

const check = () =>
  spawnSync(process.execPath, [join(clone, 'bin', 'check-install.js')], { encoding: 'utf8' });

it('says in one line that npm ci has not run', () => {
  const { status, stderr } = check();
  expect(status).toBe(1);
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining('Run `npm ci` first')]);
});

it('says nothing once it has', () => {
  mkdirSync(join(clone, 'node_modules'));
  writeFileSync(join(clone, 'node_modules', '.package-lock.json'), '{}');
  const { status, stderr } = check();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it.each(['start', 'admin', 'test'])('runs before npm run %s', (script) => {
  const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(scripts[`pre${script}`]).toBe('node bin/check-install.js');
});
