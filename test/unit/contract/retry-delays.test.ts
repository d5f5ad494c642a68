import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { inWords } from '../../../shared/contract/in-words.ts';
import { retryDelaysSeconds } from '../../../shared/contract/retry-delays.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const docs = join(root, 'docs');

it('names delays in the largest whole unit', () => {
  expect(inWords([1, 90, 60, 7200])).toBe('1 second, 90 seconds, 1 minute and 2 hours');
});

it('gives the delays that the docs name', () => {
  const pages = existsSync(docs) ? readdirSync(docs).filter((name) => name.endsWith('.md')) : [];
  const text = [join(root, 'README.md'), ...pages.map((name) => join(docs, name))]
    .map((path) => readFileSync(path, 'utf8').replaceAll(/\s+/g, ' '))
    .join(' ');
  expect(text).toContain(inWords(retryDelaysSeconds));
});
