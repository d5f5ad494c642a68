/** `npm run check` sees which versions of TLS a server accepts, also those that Node turns off by default. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type SecureVersion } from 'node:tls';
import { expect, it } from '@jest/globals';
import { acceptsTls } from '../../check/aws-stage.ts';

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
