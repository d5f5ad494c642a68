/** HEAD, compression, ETag, content encodings and unknown fields, as the deployed gateway has them (contract 1.4 and 1.5). */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { gateway } from '../../support/gateway/gateway.ts';
import { admitted } from '../../support/http/admitted.ts';
import { newClient, type TestClient } from '../../support/http/client.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient({ name: 'Representation' });
});

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Without what `fetch` adds and decodes. */
function raw(method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<Raw> {
  return admitted(
    () => sendOnce(method, path, headers, body),
    (answer) => String(answer.headers['retry-after']),
  );
}

function sendOnce(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway().base_url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const bearer = (): Record<string, string> => ({ Authorization: `Bearer ${client.apiKey}` });

describe('HEAD', () => {
  it.each([
    '/openapi.json',
    '/docs/quick-start',
    '/.well-known/jwks.json',
    '/admin',
    '/api/v1/account',
    '/api/v1/messages',
  ])('of %s is GET without its content', async (path) => {
    const [get, head] = [await raw('GET', path, bearer()), await raw('HEAD', path, bearer())];
    expect([head.status, head.bytes.length]).toEqual([get.status, 0]);
    expect(head.status).toBe(200);
    for (const name of ['content-type', 'cache-control', 'etag', 'x-ratelimit-limit'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  });

  it('is refused where GET is', async () => {
    const { status, headers } = await raw('HEAD', '/api/v1/sms/send', bearer());
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });
});

describe('compression', () => {
  it('of what is long, where the caller takes it', async () => {
    const plain = await raw('GET', '/openapi.json', {});
    const packed = await raw('GET', '/openapi.json', {
      Accept: '*/*',
      'Accept-Encoding': 'br;q=1, gzip;q=0.8',
    });
    const unnamed = await raw('GET', '/openapi.json', { 'Accept-Encoding': 'gzip' });
    expect(unnamed.bytes.equals(plain.bytes)).toBe(true);
    const refused = await raw('GET', '/openapi.json', {
      Accept: '*/*',
      'Accept-Encoding': 'gzip;q=0, *;q=0',
    });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect([refused.headers['content-encoding'], refused.bytes.equals(plain.bytes)]).toEqual([
      undefined,
      true,
    ]);
  });

  it('of a request is refused', async () => {
    const headers = { ...bearer(), 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const { status, bytes } = await raw('POST', '/api/v1/sms/send', headers, Buffer.from('{}'));
    expect([status, JSON.parse(bytes.toString()).error]).toEqual([415, 'unsupported_media_type']);
  });
});

it('an unchanged document is not sent again', async () => {
  const { headers } = await raw('GET', '/openapi.json', {});
  const etag = String(headers.etag);
  const again = await raw('GET', '/openapi.json', { 'If-None-Match': `"other", ${etag}` });
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
  expect((await raw('GET', '/openapi.json', { 'If-None-Match': '"other"' })).status).toBe(200);
});

it('authenticated responses must not be cached', async () => {
  expect((await client.call('GET', '/api/v1/account')).headers.get('cache-control')).toBe('no-store');
  const refused = await raw('GET', '/api/v1/account', {});
  expect([refused.status, refused.headers['cache-control']]).toEqual([401, 'no-store']);
});
