import type { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { addSeconds, epochSeconds, type Sleep } from '../../../shared/platform/clock.ts';
import { signToken } from '../../../shared/token/token-signer.kms.ts';
import {
  publishedKeys,
  publishKey,
  type TokenClaims,
  verifyToken,
} from '../../../shared/token/verify-token.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Access, accessTo, audience, createSigningKey, issuer } from '../../support/gateway/access.ts';
import { kmsClient } from '../../support/gateway/gateway.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const claims: TokenClaims = {
  iss: issuer,
  aud: audience,
  sub: 'client_a',
  client_id: 'client_a',
  scope: 'messages',
  iat: epochSeconds(now),
  exp: epochSeconds(now) + 3600,
  jti: 'id-1',
};

describe('access tokens', () => {
  let tables: TestTables;
  let kms: KMSClient;
  let access: Access;
  let keyId: string;

  beforeAll(async () => {
    tables = await createTables();
    access = accessTo(tables, now);
    kms = kmsClient();
    keyId = await createSigningKey(kms);
  });
  afterAll(async () => {
    await tables.drop();
    kms.destroy();
  });

  /** A process that signs with this key. */
  const signerWith = (key: string, sleep: Sleep = async () => {}) => {
    const { env, ...process } = access.newProcess();
    return { ...process, clock: () => now, sleep, kms, env: { ...env, TOKEN_SIGNING_KEY_ID: key } };
  };
  const sign = (key: string, wanted = claims): Promise<string> => signToken(signerWith(key), wanted);
  const verify = (token: string, at = now, process = access.newProcess()) => {
    access.now = at;
    return verifyToken(process, token).finally(() => {
      access.now = now;
    });
  };

  it('signed by the key verify with only its published public half', async () => {
    const token = await sign(keyId);
    expect(await verify(token)).toEqual(claims);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(token)).toEqual(claims);
  });

  it('hold to the second before they expire and not at it', async () => {
    const token = await sign(keyId);
    expect(await verify(token, addSeconds(now, 3599))).toBeDefined();
    expect(await verify(token, addSeconds(now, 3600))).toBeUndefined();
  });

  it('that a process remembers hold no longer for it', async () => {
    const token = await sign(keyId);
    const one = access.newProcess();
    expect(await verify(token, addSeconds(now, 3590), one)).toBeDefined();
    expect(await verify(token, addSeconds(now, 3599), one)).toBeDefined();
    expect(await verify(token, addSeconds(now, 3600), one)).toBeUndefined();
  });

  it.each([
    ['another issuer', { iss: 'https://elsewhere.test' }],
    ['another audience', { aud: 'elsewhere' }],
    ['a subject that is not the client', { sub: 'client_b' }],
  ])('of %s are refused, though our key signed them', async (_what, changed) => {
    expect(await verify(await sign(keyId, { ...claims, ...changed }))).toBeUndefined();
  });

  it('with any bit of the claims or the signature changed are refused', async () => {
    const token = await sign(keyId);
    const [header = '', , signature = ''] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, client_id: 'client_b', sub: 'client_b' }));
    expect(await verify(`${header}.${forged.toString('base64url')}.${signature}`)).toBeUndefined();
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    expect(await verify(token.replace(signature, flipped))).toBeUndefined();
  });

  it('that are unsigned are refused', async () => {
    expect(await verify(new UnsecuredJWT({ ...claims }).encode())).toBeUndefined();
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    expect(
      await verify(`${none}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`),
    ).toBeUndefined();
  });

  it('signed by a foreign key under our kid, with our public key as a secret, or of another type are refused', async () => {
    const { kid = '' } = decodeProtectedHeader(await sign(keyId));
    const { privateKey } = await generateKeyPair('ES256');
    const header = { alg: 'ES256', kid, typ: 'at+jwt' };
    const foreign = await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
    expect(await verify(foreign)).toBeUndefined();

    const jwk = (await publishedKeys(access.newProcess())).get(kid);
    const secret = Buffer.from(JSON.stringify(jwk));
    const confused = new SignJWT({ ...claims }).setProtectedHeader({ ...header, alg: 'HS256' });
    expect(await verify(await confused.sign(secret))).toBeUndefined();

    const own = await generateKeyPair('ES256', { extractable: true });
    const { x = '', y = '' } = await exportJWK(own.publicKey);
    const ownKid = 'k'.repeat(43);
    await publishKey(access.newProcess(), ownKid, { kty: 'EC', crv: 'P-256', x, y });
    const idToken = new SignJWT({ ...claims }).setProtectedHeader({ ...header, kid: ownKid, typ: 'JWT' });
    expect(await verify(await idToken.sign(own.privateKey))).toBeUndefined();
  });

  it.each(['', 'a', 'a.b.c', '..', 'ey.ey.ey', `${'x'.repeat(5000)}.y.z`])(
    'that are no token are refused: %#',
    async (text) => {
      expect(await verify(text)).toBeUndefined();
    },
  );

  it('of the old and the new key hold side by side while the key is rotated, in a process that knew only the old', async () => {
    const process = access.newProcess();
    const old = await sign(keyId);
    expect(await verifyToken(process, old)).toBeDefined();
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      access.now = addSeconds(now, ms / 1000);
    };
    const newKey = await createSigningKey(kms);
    const fresh = await signToken(signerWith(newKey, wait), claims);
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid);
    // A second process of the token function may sign as early as the first, and not earlier.
    await signToken(signerWith(newKey, wait), claims);
    expect(waits).toEqual([1000, 1000]);
    expect(await verifyToken(process, fresh)).toBeDefined();
    expect(await verifyToken(process, old)).toBeDefined();
    access.now = now;
  });

  it('cost one KMS call each, once their key is published', async () => {
    const calls: string[] = [];
    const record =
      (next: (args: never) => Promise<never>, context: { commandName?: string }) => async (args: never) => {
        calls.push(String(context.commandName));
        return await next(args);
      };
    kms.middlewareStack.add(record as never, { step: 'initialize', name: 'spy' });
    const signer = signerWith(keyId);
    await signToken(signer, claims);
    await signToken(signer, claims);
    kms.middlewareStack.remove('spy');
    expect(calls).toEqual(['GetPublicKeyCommand', 'SignCommand', 'SignCommand']);
  });
});
