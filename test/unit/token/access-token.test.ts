/** Which keys a process trusts, while others send it tokens with invented keys, and how a key is published and signs. */
import { sign as derSignature, generateKeyPairSync, verify } from 'node:crypto';
import type { KMSClient } from '@aws-sdk/client-kms';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { ApiRequest } from '../../../shared/operation/operation.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { showWellKnown } from '../../../shared/token/server-metadata.ts';
import { concatenatedSignature } from '../../../shared/token/token-signer.kms.ts';
import { type PublicJwk, publicJwk, verifyToken } from '../../../shared/token/verify-token.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';

const start = new Date('2026-11-20T12:00:00.000Z');
const expected = { issuer: 'https://gateway.test', audience: 'messaging-gateway' };
const kidOf = (letter: string) => letter.repeat(43);

interface TestKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly privateKey: CryptoKey;
}

async function newKey(kid: string): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, jwk: publicJwk.parse(await exportJWK(publicKey)), privateKey };
}

function sign({ kid, privateKey }: Omit<TestKey, 'jwk'>): Promise<string> {
  const iat = epochSeconds(start);
  const claims = { sub: 'client_a', client_id: 'client_a', scope: 'messages', jti: 'id', iat };
  return new SignJWT({ ...claims, iss: expected.issuer, aud: expected.audience, exp: iat + 3600 })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .sign(privateKey);
}

let old: TestKey;
let next: TestKey;
let stranger: TestKey;
beforeAll(async () => {
  [old, next, stranger] = await Promise.all([newKey(kidOf('o')), newKey(kidOf('n')), newKey(kidOf('s'))]);
});

/** A process, with the keys that are published and a clock. */
function aProcess(...published: readonly TestKey[]) {
  const world = {
    now: start,
    reads: 0,
    published: new Map(published.map(({ kid, jwk }) => [kid, jwk as PublicJwk | undefined])),
    failure: undefined as Error | undefined,
    accepts: async (token: string) => (await verifyToken(context, token)) !== undefined,
    junk: async (count: number) => {
      for (let i = 0; i < count; i += 1)
        expect(await world.accepts(await sign({ ...stranger, kid: String(i).padStart(43, 'z') }))).toBe(
          false,
        );
    },
  };
  const { dynamo, names } = inMemoryTables({
    around: () => {
      world.reads += 1;
      if (world.failure !== undefined) throw world.failure;
      const rows = Array.from(world.published, ([kid, jwk]) => ({
        kid,
        public_jwk: JSON.stringify(jwk) ?? '',
      }));
      return { Items: rows.map((row) => marshall(row)) };
    },
  });
  const env = { TOKEN_ISSUER: expected.issuer, TOKEN_AUDIENCE: expected.audience };
  const context = testContext({ dynamo, names }, { clock: () => world.now, env });
  return world;
}

describe('a token of a published key', () => {
  it('holds in a new process that was sent invented keys only, whatever their number', async () => {
    const one = aProcess(old, next);
    await one.junk(20);
    expect(await one.accepts(await sign(old))).toBe(true);
    expect(await one.accepts(await sign(next))).toBe(true);
    expect(one.reads).toBe(1);
  });

  it('holds where its key was published a second ago, and invented keys came all the time', async () => {
    const one = aProcess(old);
    await one.junk(3);
    for (let tenths = 1; tenths <= 20; tenths += 1) {
      one.now = addSeconds(start, tenths / 10);
      await one.junk(1);
      if (tenths === 10) one.published.set(next.kid, next.jwk);
    }
    // The token function waits for a second after it has published a key (`token-signer.kms.ts`).
    expect(await one.accepts(await sign(next))).toBe(true);
    expect(one.reads).toBeLessThanOrEqual(5);
  });

  it('is not delayed by a look-up for an invented key that hangs', async () => {
    const one = aProcess(old);
    expect(await one.accepts(await sign(old))).toBe(true);
    one.now = addSeconds(start, 1);
    one.failure = new Error('the table is down');
    await expect(one.junk(1)).rejects.toThrow('the table is down');
    expect(await one.accepts(await sign({ ...old }))).toBe(true);
  });

  it('is an error of the gateway, not of the token, where the keys cannot be read', async () => {
    const one = aProcess(old);
    one.failure = new Error('the table is down');
    await expect(one.accepts(await sign(old))).rejects.toThrow('the table is down');
    one.failure = undefined;
    one.published.set(old.kid, undefined);
    await expect(one.accepts(await sign(old))).rejects.toThrow(old.kid);
  });

  it('does not hold once its key has been withdrawn for five minutes, and the other keys do', async () => {
    const one = aProcess(old, next);
    const [ofOld, ofNext] = [await sign(old), await sign(next)];
    expect([await one.accepts(ofOld), await one.accepts(ofNext)]).toEqual([true, true]);
    one.published.delete(old.kid);
    one.now = addSeconds(start, 300);
    expect([await one.accepts(ofOld), await one.accepts(ofNext)]).toEqual([false, true]);
  });

  it('works although a published key is not a point of the curve', async () => {
    const one = aProcess(old);
    one.published.set(next.kid, { ...next.jwk, x: old.jwk.x });
    expect(await one.accepts(await sign(old))).toBe(true);
    await expect(one.accepts(await sign(next))).rejects.toThrow(next.kid);
  });
});

it('the key is published by the first look at the keys, and only by it', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const calls: string[] = [];
  const kms = {
    send: async (command: object) => {
      calls.push(command.constructor.name);
      return { KeyId: 'key-1', PublicKey: publicKey.export({ format: 'der', type: 'spki' }) };
    },
  } as unknown as KMSClient;
  const show = showWellKnown({ ...testContext(), kms });
  for (let look = 0; look < 2; look += 1)
    expect(
      await show({ path: '/', pathParameters: { document: 'jwks.json' } } as unknown as ApiRequest),
    ).toMatchObject({ status: 200, body: { keys: [{ kid: expect.any(String), alg: 'ES256' }] } });
  expect(calls).toEqual(['GetPublicKeyCommand']);
});

describe('a signature turned from DER to r‖s', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('is 64 bytes and holds for the same content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (content) => {
        const signature = concatenatedSignature(derSignature('sha256', content, privateKey));
        expect(signature).toHaveLength(64);
        expect(verify('sha256', content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(
          true,
        );
      }),
    );
  });

  it('keeps short and high coordinates in their places', () => {
    const der = Uint8Array.from([0x30, 0x08, 0x02, 0x01, 0x05, 0x02, 0x03, 0x00, 0x80, 0x01]);
    const joined = Buffer.alloc(64);
    joined[31] = 5;
    joined[62] = 0x80;
    joined[63] = 1;
    expect(concatenatedSignature(der)).toEqual(joined);
  });

  it('is refused where the bytes are no such signature', () => {
    const der = derSignature('sha256', Buffer.from('content'), privateKey);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: der.length - 1 }), (length) => {
        expect(() => concatenatedSignature(der.subarray(0, length))).toThrow('not an ECDSA P-256 signature');
      }),
    );
  });
});
