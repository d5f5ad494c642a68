import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Sha256 } from '../../../shared/platform/aws/sha256.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';

const part = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array());
const key = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.uint8Array({ minLength: 1 }));

async function digestOf(sha: Sha256, parts: readonly (string | Uint8Array)[]): Promise<string> {
  for (const data of parts) sha.update(data);
  return Buffer.from(await sha.digest()).toString('hex');
}

describe('the hash that signs calls to AWS', () => {
  it('is SHA-256 of all that was given, in any pieces', () =>
    fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        const expected = createHash('sha256');
        for (const data of parts) expected.update(data);
        expect(await digestOf(new Sha256(), parts)).toBe(expected.digest('hex'));
      }),
    ));

  it('is its HMAC where a key is given, the first time and every later time', () =>
    fc.assert(
      fc.asyncProperty(key, fc.array(part), async (secret, parts) => {
        const expected = createHmac('sha256', secret);
        for (const data of parts) expected.update(data);
        const hex = expected.digest('hex');
        expect(await digestOf(new Sha256(secret), parts)).toBe(hex);
        expect(await digestOf(new Sha256(secret), parts)).toBe(hex);
      }),
    ));

  it('starts again after a reset', async () => {
    const sha = new Sha256();
    sha.update('forgotten');
    sha.reset();
    expect(await digestOf(sha, ['kept'])).toBe(createHash('sha256').update('kept').digest('hex'));
  });
});
