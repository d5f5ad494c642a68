/** docs/contract.md numbers each promise and names the tests that hold it; every number that is cited exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { files, filesOf } from '../../support/architecture/source-files.ts';
import { page, pages, root } from '../../support/docs/pages.ts';

const contract = page('docs/contract.md');
const sections = Array.from(contract.matchAll(/^## (\d+)\. /gm), ([, number = '']) => number);
/** `- **7.5** text. *tests*`, over several lines. */
const promises = Array.from(
  contract.matchAll(/^- \*\*(?<number>\d+\.\d+)\*\* (?<text>[\s\S]*?)(?=\n- \*\*|\n## |\n*$(?![\s\S]))/gm),
  ({ groups }) => ({ number: groups?.number ?? '', text: groups?.text ?? '' }),
);

describe('docs/contract.md', () => {
  it('numbers the promises of each section from one, without a gap', () => {
    expect(sections).toEqual(sections.map((_, index) => String(index + 1)));
    const expected = sections.flatMap((section) =>
      promises
        .filter(({ number }) => number.startsWith(`${section}.`))
        .map((_, index) => `${section}.${index + 1}`),
    );
    expect(promises.map(({ number }) => number)).toEqual(expected);
    expect(contract.match(/^- /gm)).toHaveLength(promises.length);
  });

  it('names behind each promise the tests that hold it', () => {
    const tests = promises.map(({ number, text }) => {
      const named = /\*(?<paths>[^*]+)\*\s*$/.exec(text)?.groups?.paths ?? '';
      return { number, paths: named.split(',').map((path) => path.trim()) };
    });
    const missing = tests.flatMap(({ number, paths }) =>
      paths
        .filter(
          (path) => ![`${path}.test.ts`, path].some((file) => existsSync(join(root, 'test', file || '-'))),
        )
        .map((path) => `${number}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

/** `(contract 7.5)`, `contract, section 7`, `contract, sections 7 and 12`, also over two lines of a comment. */
const citations =
  /\bcontract(?:, sections?)?[\s*]+(?<numbers>\d+(?:\.\d+)?(?:(?:, | and |[\s*]+and[\s*]+)\d+(?:\.\d+)?)*)/gi;

it('whatever cites the contract cites a section or a promise that it has', () => {
  const known = new Set([...sections, ...promises.map(({ number }) => number)]);
  const texts = [
    ...[...files, ...filesOf('test')].map(({ path, text }) => ({ path, text })),
    ...pages().map((path) => ({ path, text: page(path) })),
  ];
  const cited = texts.flatMap(({ path, text }) =>
    Array.from(text.matchAll(citations), ({ groups }) => groups?.numbers ?? '').flatMap((numbers) =>
      (numbers.match(/\d+(\.\d+)?/g) ?? []).map((number) => ({ path, number })),
    ),
  );
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
});
