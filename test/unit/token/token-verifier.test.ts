/** Which keys a process trusts, while others send it tokens with invented keys. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { publicJwk } from '../../../shared/token/signing-keys.dynamo.ts';
import { tokenVerifier } from '../../../shared/token/token-verifier.ts';

const start = new Date('2026-11-20T12:00:00.000Z');
const expected = { issuer: 'https://gateway.test', audience: 'messaging-gateway' };
const kidOf = (letter: string) => letter.repeat(43);

interface TestKey {
  readonly kid: string;
  readonly jwk: ReturnType<typeof publicJwk.parse>;
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
    published: new Map(published.map(({ kid, jwk }) => [kid, jwk as TestKey['jwk'] | undefined])),
    failure: undefined as Error | undefined,
    accepts: async (token: string) => (await verifier.verify(token, world.now)) !== undefined,
    junk: async (count: number) => {
      for (let i = 0; i < count; i += 1)
        expect(await world.accepts(await sign({ ...stranger, kid: String(i).padStart(43, 'z') }))).toBe(
          false,
        );
    },
  };
  const keys = {
    all: async () => {
      world.reads += 1;
      if (world.failure !== undefined) throw world.failure;
      return new Map(world.published);
    },
  };
  const verifier = tokenVerifier(keys, expected, () => world.now);
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
