/** The documentation as the gateway serves it: its links lead somewhere. */
import { describe, expect, it } from '@jest/globals';
import { guideNames, readGuideFile, textOf } from '../../../lib/build/docs/guides.ts';
import { linksOfOperations, published } from '../../../lib/build/docs/published.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { baseUrlMarker } from '../../../shared/contract/routes.ts';

const document = openApiDocument();
const responses = published();
const bodyOf = (name: string): string => String(responses[`/docs/${name}`]?.body ?? '');
const operationLinks = linksOfOperations(document);

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
