import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concatenatedSignature } from '../../../shared/token/token-signer.kms.ts';

describe('a signature turned from DER to r‖s', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('is 64 bytes and holds for the same content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (content) => {
        const signature = concatenatedSignature(sign('sha256', content, privateKey));
        expect(signature).toHaveLength(64);
        expect(verify('sha256', content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(
          true,
        );
      }),
    );
  });

  it('keeps short and high coordinates in their places', () => {
    const der = Uint8Array.from([0x30, 0x08, 0x02, 0x01, 0x05, 0x02, 0x03, 0x00, 0x80, 0x01]);
    const expected = Buffer.alloc(64);
    expected[31] = 5;
    expected[62] = 0x80;
    expected[63] = 1;
    expect(concatenatedSignature(der)).toEqual(expected);
  });

  it('is refused where the bytes are no such signature', () => {
    const der = sign('sha256', Buffer.from('content'), privateKey);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: der.length - 1 }), (length) => {
        expect(() => concatenatedSignature(der.subarray(0, length))).toThrow('not an ECDSA P-256 signature');
      }),
    );
  });
});
