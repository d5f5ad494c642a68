import { describe, expect, it } from '@jest/globals';
import { type Entry, find } from '../../../lib/build/docs/browser/find.ts';
import { errorsPage } from '../../../lib/build/docs/pages/errors.ts';
import { referencePage } from '../../../lib/build/docs/reference/reference-page.ts';
import { searchIndex } from '../../../lib/build/docs/search-index.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';

const document = openApiDocument();
const pages = { reference: referencePage(document), errors: errorsPage(document) };
const index = searchIndex(pages);
const first = (words: string): string | undefined => find(index, words)[0]?.[1];

describe('the search of the documentation', () => {
  it('finds every operation by its title, its path and its id', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, summary }] of Object.entries(methods)) {
        const address = `/docs/reference#${operationId}`;
        expect([summary, first(summary)]).toEqual([summary, address]);
        expect(find(index, `${method} ${path}`).map(([, found]) => found)).toContain(address);
        expect(first(operationId)).toBe(address);
      }
    }
  });

  it('finds every error code', () => {
    for (const code of Object.keys(errorStatus))
      expect([code, find(index, code).map(([, address]) => address)]).toEqual([
        code,
        expect.arrayContaining([`/docs/errors#${code}`]),
      ]);
    for (const code of Object.keys(messageErrorCodes))
      expect(find(index, code).map(([, address]) => address)).toContain(`/docs/errors#message.${code}`);
  });

  it('leads only to places that exist, each once', () => {
    const html = Object.values(pages)
      .map(({ main }) => main.html)
      .join('');
    const addresses = index.map(([, address]) => address);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const id of addresses.flatMap((address) => address.split('#')[1] ?? []))
      expect(html.split(`id="${id}"`)).toHaveLength(2);
  });

  it('has the nearest title first, and needs every word', () => {
    const entries: Entry[] = [
      ['to', '/a#1', 'Page', ''],
      ['token', '/a#2', 'Page', ''],
      ['Get a token', '/a#3', 'Page', 'POST /auth'],
    ];
    expect(find(entries, 'TO').map(([title]) => title)).toEqual(['to', 'token', 'Get a token']);
    const row: Entry = ['to', '/a#4', 'Page: Section', ''];
    expect(find([row, ...entries], 'to').map(([, address]) => address)[0]).toBe('/a#1');
    expect(find(entries, 'token get').map(([title]) => title)).toEqual(['Get a token']);
    expect(find(entries, 'post auth').map(([title]) => title)).toEqual(['Get a token']);
    expect(find(entries, '  ')).toEqual([]);
    expect(find(entries, 'token nothing')).toEqual([]);
  });
});
