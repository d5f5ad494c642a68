import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { docsPage } from '../../../lib/build/openapi/docs-page.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { html, pageResponse } from '../../../lib/build/openapi/page.ts';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { gateway } from '../../support/gateway/gateway.ts';

/** As the document names it. */
const servedAt = (): string => gateway().base_url.replace('localhost', '127.0.0.1');

async function ask(path: string) {
  const response = await fetch(`${gateway().base_url}${path}`);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const headersOf = (headers: Headers, like: ApiResponse) =>
  Object.fromEntries(Object.keys(like.headers ?? {}).map((name) => [name, headers.get(name)]));

describe('what the API says of itself, made by the build', () => {
  it('is the very document that the code makes, for any page to read', async () => {
    const { status, headers, body } = await ask('/openapi.json');
    expect({ status, body }).toEqual({ status: 200, body: JSON.stringify(openApiDocument(servedAt())) });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is the very reference that the code makes of the document, under the page’s own policy', async () => {
    const made = pageResponse(docsPage(openApiDocument(servedAt())));
    const { status, headers, body } = await ask('/docs');
    expect({ status, headers: headersOf(headers, made), body }).toEqual(made);
  });

  it('shows the guide’s programs unchanged, under the same policy', async () => {
    const reference = pageResponse(docsPage(openApiDocument(servedAt())));
    const { status, headers, body } = await ask('/docs/webhooks');
    expect({ status, headers: headersOf(headers, reference) }).toEqual({
      status: 200,
      headers: reference.headers,
    });
    const programs = join(import.meta.dirname, '../../../lib/build/openapi/guide');
    for (const program of ['verify.mjs', 'verify.py', 'verify.go']) {
      expect(body).toContain(html`${readFileSync(join(programs, program), 'utf8').trimEnd()}`.html);
    }
  });

  it.each(['/openapi.json', '/docs', '/docs/webhooks'])(
    'is the same when %s is asked again',
    async (path) => {
      expect((await ask(path)).body).toBe((await ask(path)).body);
    },
  );
});
