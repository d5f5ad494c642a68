/** The documentation as the gateway serves it: its links lead somewhere, and its search finds what readers ask for. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type Entry, finder } from '../../../lib/build/docs/find.ts';
import { guideNames, readGuideFile, textOf } from '../../../lib/build/docs/guides.ts';
import { published } from '../../../lib/build/docs/published.ts';
import { linksOfOperations } from '../../../lib/build/docs/search-entries.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { baseUrlMarker } from '../../../shared/contract/routes.ts';

const document = openApiDocument();
const responses = published();
const bodyOf = (name: string): string => String(responses[`/docs/${name}`]?.body ?? '');
const operationLinks = linksOfOperations(document);
const index = bodyOf('search-index');
const entries = JSON.parse(index) as Entry[];
const find = finder(entries);

/** Where Scalar has an anchor, as `test/browser/openapi` shows. */
const referencePlaces = new Set(operationLinks.values());

function leadsSomewhere(link: string): boolean {
  const [page = '', anchor] = link.split('#');
  if (page === 'reference' && anchor?.startsWith('tag/')) return referencePlaces.has(link);
  if (page === 'reference' && anchor !== undefined) return anchor.startsWith('description/');
  return bodyOf(page) !== '' && (anchor === undefined || bodyOf(page).split(` id="${anchor}"`).length === 2);
}

describe.each(guideNames)('the guide %s', (name) => {
  const html = bodyOf(name);

  it('has no link that leads nowhere', () => {
    const links = Array.from(html.matchAll(/ href="(?!https:|data:)([^"]*)"/g), ([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    const whole = links.map((link) => (link.startsWith('#') ? `${name}${link}` : link));
    expect(whole.filter((link) => link !== `${name}#main` && !leadsSomewhere(link))).toEqual([]);
  });

  it('links each operation that it names to the reference', () => {
    const named = Array.from(
      readGuideFile(`${name}.md`).matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/g),
    );
    // The rows of limits name policies, of which some have several operations.
    const unknown = named.map(([, operation = '']) => operation).filter((one) => !operationLinks.has(one));
    expect(unknown.filter((one) => name !== 'limits' || !one.endsWith('*'))).toEqual([]);
  });

  it('shows its code as it is written', () => {
    const shown = Array.from(html.matchAll(/<code>((?:(?!<\/code>).)*)<\/code><\/pre>/gs), ([, code = '']) =>
      textOf(code),
    );
    const written = Array.from(readGuideFile(`${name}.md`).matchAll(/^```.*\n([\s\S]*?)\n```$/gm));
    for (const [, code = ''] of written)
      expect(shown).toContain(code.replaceAll('https://gateway.example.com', baseUrlMarker).trim());
  });
});

it('each error code has a section, to which `doc_url` links', () => {
  const ids = [
    ...Object.keys(errorStatus),
    ...Object.keys(messageErrorCodes).map((code) => `message-${code}`),
  ];
  expect(ids.filter((id) => !leadsSomewhere(`errors#${id}`))).toEqual([]);
});

describe('the search', () => {
  it('leads only to places that exist, each once', () => {
    const addresses = entries.map(({ id }) => id);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses.filter((address) => !leadsSomewhere(address))).toEqual([]);
  });

  it.each([
    ['429', 'errors#rate_limit_exceeded'],
    ['STOP', 'testing#replies-and-stop'],
    ['signature', 'webhooks#verify-the-signature'],
    ['retry', 'errors#retry-safely'],
    ['test key', 'quick-start#1-set-your-test-key'],
    ['sandbox', 'testing'],
    ['UTC', 'limits#usage-and-cost'],
    ['segments', 'limits#segments-of-an-sms'],
    ['cancel', 'reference#tag/messages/cancelMessage'],
    ['rotate', 'webhooks#rotate-the-secret'],
    ['How do I verify a webhook?', 'webhooks#verify-the-signature'],
    ['price of a message', 'limits#usage-and-cost'],
    ['pagination', 'reference#description/requests-and-responses'],
    ['SDK', 'quick-start#client-packages'],
    ['otp expiry', 'reference#tag/one-time-passwords/sendOtp'],
    ['validity_period', 'errors#message-expired'],
  ])('has what a reader of "%s" wants at first', (words, wanted) => {
    expect(find(words)[0]?.id).toBe(wanted);
  });

  it('finds every operation and every error code by its name', () => {
    for (const methods of Object.values(document.paths))
      for (const { operationId, summary } of Object.values(methods))
        for (const words of [operationId, summary])
          expect([words, find(words)[0]?.id]).toEqual([words, expect.stringMatching(`/${operationId}$`)]);
    for (const code of Object.keys(errorStatus))
      expect(find(code).map(({ id }) => id)).toContain(`errors#${code}`);
  });

  it('is fetched with at most 20 KB', () => {
    expect(gzipSync(index).length).toBeLessThan(20_000);
  });
});
