import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { version } from '../../../shared/contract/api.ts';

it('the version is that of package.json', () => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(version).toBe((JSON.parse(text) as { version: string }).version);
});
