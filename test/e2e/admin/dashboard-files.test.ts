import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { bundleFunctions } from '../../../lib/build/bundle.ts';
import { gateway } from '../../support/gateway/gateway.ts';

interface Fetched {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
}

/** As on the wire: fetch would undo the compression. Like a browser it says what it accepts. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Fetched> {
  const response = await request(`${gateway().base_url}${path}`, {
    headers: { accept: '*/*', ...headers },
  });
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    bytes: await buffer(response.body),
  };
}

async function scriptPath(): Promise<string> {
  const page = (await get('/admin')).bytes.toString('utf8');
  return `/${/src="(admin\/assets\/main-[^"]+\.js)"/.exec(page)?.[1] ?? ''}`;
}

describe('the dashboard', () => {
  it('is a page that only we can script, style and frame, asked after each time', async () => {
    const { status, headers, bytes } = await get('/admin');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(bytes.toString('utf8')).not.toMatch(/https?:\/\//);
    expect(headers['x-ratelimit-limit']).toBe('600');
  });

  it('comes in the coding that the browser takes, with the same content', async () => {
    const path = await scriptPath();
    const plain = await get(path);
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    const brotli = await get(path, { 'accept-encoding': 'gzip, br;q=0.9' });
    const refused = await get(path, { 'accept-encoding': 'gzip;q=0' });
    expect([plain, gzip, brotli, refused].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      'br',
      undefined,
    ]);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.headers.vary).toBe('Accept-Encoding');
  });

  it('is transferred once: its files never change, and the page is not sent again while it is the same', async () => {
    const file = await get(await scriptPath());
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const { headers } = await get('/admin');
    const again = await get('/admin', { 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('has its first view in less than 275 KB, by gzip', async () => {
    const page = await get('/admin', { 'accept-encoding': 'gzip' });
    const html = gunzipSync(page.bytes).toString('utf8');
    const named = [...html.matchAll(/(?:href|src)="(admin\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => `/${path}`,
    );
    expect(named.length).toBeGreaterThan(1);
    const files = await Promise.all(named.map((path) => get(path, { 'accept-encoding': 'gzip' })));
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, page.bytes.length);
    expect(bytes).toBeLessThan(275_000);
  });

  it('has all its pages in less than 556 KB, by gzip', () => {
    const folder = join(bundleFunctions().folder('admin-dashboard'), 'files');
    const files = readdirSync(folder).filter((name) => name.endsWith('.gzip'));
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeGreaterThan(275_000);
    expect(bytes).toBeLessThan(556_000);
  });

  it.each(['/admin/assets/index.html', '/admin/assets/list.json', '/admin/assets/..%2Findex.mjs'])(
    'keeps to its files: %s is not there',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
