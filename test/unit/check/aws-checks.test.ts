/** Each check of what only AWS shows passes on a stage that keeps its promises, and names the one that a stage breaks. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type SecureVersion } from 'node:tls';
import { expect, it } from '@jest/globals';
import { awsChecks } from '../../check/aws-checks.ts';
import { type AwsStage, acceptsTls } from '../../check/aws-stage.ts';

const headers = Object.fromEntries(
  ['X-Request-Id', ...['Limit', 'Remaining', 'Reset', 'Policy'].map((name) => `X-RateLimit-${name}`)].map(
    (name) => [name, '1'],
  ),
);
const error = (status: number, code: string, more: HeadersInit = headers) =>
  new Response(`{"error":"${code}"}`, { status, headers: more });

const stage: AwsStage = {
  baseUrl: 'https://gateway.example.com',
  resourceTypes: new Set(['AWS::WAFv2::WebACLAssociation']),
  request: async (method, path) => {
    if (path === '/api/v1/account') return new Response('{}', { headers });
    return method === 'POST' ? error(413, 'payload_too_large') : error(403, 'forbidden');
  },
  acceptsTls: async (version) => version === 'TLSv1.2',
  tableFaults: async () => [],
  fireSchedule: async (at) => new Date(at.getTime() + 1000),
};

async function failing(broken: Partial<AwsStage>): Promise<readonly string[]> {
  const names = await Promise.all(
    awsChecks.map(({ name, run }) =>
      run({ ...stage, ...broken }).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return names.flat();
}

it('a stage that keeps its promises passes', async () => {
  expect(await failing({})).toEqual([]);
});

it('a stage without a web ACL is not judged by it', async () => {
  const [, webAcl] = awsChecks;
  expect(await webAcl?.run({ ...stage, resourceTypes: new Set() })).toBe('the stage has no web ACL');
});

it.each<[string, Partial<AwsStage>, RegExp]>([
  ['responses without headers', { request: async () => error(413, 'payload_too_large', {}) }, /10 MB/],
  ['a plain 413', { request: async () => new Response('too large', { status: 413, headers }) }, /10 MB/],
  ['an attack that is answered', { request: async () => new Response('{}', { headers }) }, /web ACL/],
  ['TLS 1.1', { acceptsTls: async () => true }, /TLS/],
  ['no TLS 1.2', { acceptsTls: async () => false }, /TLS/],
  ['a table without recovery', { tableFaults: async () => ['messages: no recovery'] }, /table/],
  ['requests that fail', { request: async () => error(500, 'internal_error') }, /requests at once/],
  ['a schedule that is early', { fireSchedule: async (at) => new Date(at.getTime() - 1000) }, /schedule/],
  ['a schedule that is late', { fireSchedule: async (at) => new Date(at.getTime() + 61_000) }, /schedule/],
  ['a schedule that does not fire', { fireSchedule: async () => undefined }, /schedule/],
])('%s is named', async (_what, broken, name) => {
  expect(await failing(broken)).toContainEqual(expect.stringMatching(name));
});

const pem = (kind: string, base64: string): string =>
  `-----BEGIN ${kind}-----\n${base64}\n-----END ${kind}-----\n`;

/** The key and the self-signed certificate of `localhost` protect nothing: only this test uses them. */
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg70Mjz32XMVJf9QsaPnhpK9eBdoh5zVd+S6mgcfBg7KuhRANCAATrv37ZOQY23uXKVLKntZutkHStXWkuZEpwHTser/hiYnR6E88KrPZsD2U+lX5PCJyNM1hOKg2fQKNFRDOeKIya',
);
const cert = pem(
  'CERTIFICATE',
  'MIIBgDCCASWgAwIBAgIUXF2oOesSw59rq9HV4IhMHUPrQ6kwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA5NDcwNFoYDzIxMjYxMTAyMDk0NzA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATrv37ZOQY23uXKVLKntZutkHStXWkuZEpwHTser/hiYnR6E88KrPZsD2U+lX5PCJyNM1hOKg2fQKNFRDOeKIyao1MwUTAdBgNVHQ4EFgQUtXamYdTaX1rrSNIaSBZWmPFudZkwHwYDVR0jBBgwFoAUtXamYdTaX1rrSNIaSBZWmPFudZkwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAthKzrE1cN7pB4SvbT0ia9fHqOgRe2v1VTEQgL8FjFvQCIQCIOF3x5aEc5XTiKdeG1v14mFp6V2IL/8RPyQogsl0tWQ==',
);

it.each<[SecureVersion, SecureVersion, readonly SecureVersion[]]>([
  ['TLSv1', 'TLSv1.3', ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']],
  ['TLSv1.2', 'TLSv1.3', ['TLSv1.2', 'TLSv1.3']],
  ['TLSv1', 'TLSv1.1', ['TLSv1', 'TLSv1.1']],
])('a server that takes %s to %s', async (minVersion, maxVersion, wanted) => {
  const server = createServer({ key, cert, minVersion, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' });
  server.listen(0);
  await once(server, 'listening');
  const address = `https://localhost:${(server.address() as AddressInfo).port}`;
  const accepted: SecureVersion[] = [];
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const)
    if (await acceptsTls(address, version)) accepted.push(version);
  server.close();
  expect(accepted).toEqual(wanted);
});
