import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { published } from '../../../lib/build/docs/published.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { baseUrlMarker } from '../../../shared/contract/routes.ts';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { served } from '../../support/docs/served.ts';
import { gateway } from '../../support/gateway/gateway.ts';

/** As the document names it. */
const servedAt = (): string => gateway().base_url;

const ask = (path: string, method?: string) => served(`${gateway().base_url}${path}`, method);

let made: Readonly<Record<string, ApiResponse>>;
beforeAll(() => {
  made = published();
});

describe('what the API says of itself, made by the build', () => {
  it('is the very document that the code makes, for any page to read', async () => {
    const { status, headers, body } = await ask('/openapi.json');
    expect({ status, body }).toEqual({
      status: 200,
      body: JSON.stringify(openApiDocument()).replaceAll(baseUrlMarker, servedAt()),
    });
    expect(JSON.parse(body).servers).toMatchObject([{ url: servedAt() }]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is every page and file, each under its own policy', async () => {
    for (const [path, { headers, body }] of Object.entries(made)) {
      const response = await ask(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.body).toBe(String(body).replaceAll(baseUrlMarker, servedAt()));
      for (const [name, value] of Object.entries(headers ?? {}))
        expect([path, name, response.headers[name.toLowerCase()]]).toEqual([path, name, value]);
    }
  });

  it('refuses the name of a page that there is not, whatever is in it', async () => {
    for (const page of ['nothing', '..%2Fopenapi.json', 'a%00b', 'docs.webhooks', 'Webhooks', 'scalar..js'])
      expect([page, (await ask(`/docs/${page}`)).status]).toEqual([page, 404]);
  });

  it('is where the gateway’s own address leads to', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask('/', method);
      expect([status, headers.location]).toEqual([302, '/docs/quick-start']);
    }
    expect((await ask('/', 'POST')).status).toBe(405);
  });

  it('has one address for each page, from which its relative links are right', async () => {
    for (const path of ['/docs', '/docs/quick-start/', '/docs/']) {
      const { status, headers } = await ask(path);
      expect([status, headers.location]).toEqual([302, '/docs/quick-start']);
    }
  });

  it('has the script of the reference in at most 1.2 MB, for a year', async () => {
    const path = Object.keys(made).find((name) => name.startsWith('/docs/scalar.')) ?? '';
    // `fetch` would undo the compression.
    const { headers, body } = await request(`${gateway().base_url}${path}`, {
      headers: { accept: '*/*', 'accept-encoding': 'gzip, br' },
    });
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const bytes = Buffer.from(await body.arrayBuffer());
    expect(bytes.length).toBeLessThan(1_200_000);
    expect(brotliDecompressSync(bytes).toString()).toBe(made[path]?.body);
  });
});
