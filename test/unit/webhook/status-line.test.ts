import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { statusLineReader } from '../../../shared/webhook/deliver/http-post.ts';

const limitBytes = 16_384;

/** Passes a text in chunks and counts how often a byte is read. */
function feed(text: string, pieceBytes: number) {
  const bytes = Buffer.from(text, 'latin1');
  const read = statusLineReader(limitBytes);
  let looks = 0;
  function* counted(piece: Buffer): Generator<number> {
    for (const byte of piece) {
      looks += 1;
      yield byte;
    }
  }
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const found = read(counted(bytes.subarray(from, from + pieceBytes)));
    if (found !== undefined) return { found, looks };
  }
  return { found: undefined, looks };
}

const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

describe('the status line', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\n', 200],
    ['HTTP/1.0 503 \r\n', 503],
    ['HTTP/1.1 204\r\n', 204],
    [`${interim}${interim}HTTP/1.1 200 OK\r\n`, 200],
    ['HTTP/1.1 100\r\n\r\nHTTP/1.1 404 Not Found\r\n', 404],
    ['HTTP/1.1 100 A\r\nB: \r\r\n\r\nHTTP/1.1 200 OK\r\n', 200],
    ['HTTP/1.1 200', undefined],
    [interim, undefined],
    ['SSH-2.0-OpenSSH\r\n', 'unreadable'],
    ['HTTP/2 200 OK\r\n', 'unreadable'],
    ['HTTP/1.1 2000 OK\r\n', 'unreadable'],
    ['HTTP/1.1 099 OK\r\n', 'unreadable'],
    [`${interim}HTTP/1.1\r\n`, 'unreadable'],
    ['\r\nHTTP/1.1 200 OK\r\n', 'unreadable'],
  ])('of %j is %s, for any chunks', (text, expected) => {
    for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes += 1) {
      expect(feed(text, pieceBytes).found).toBe(expected);
    }
  });

  it('is found by reading each byte once, even if an endpoint sends single bytes', () => {
    const heads = fc.constantFrom(
      interim.repeat(1000),
      `HTTP/1.1 100 ${'x'.repeat(limitBytes * 2)}`,
      '\r\n'.repeat(limitBytes),
    );
    fc.assert(
      fc.property(heads, fc.integer({ min: 1, max: 70_000 }), (text, pieceBytes) => {
        const { found, looks } = feed(text, pieceBytes);
        expect(found).toBe('unreadable');
        expect(looks).toBeLessThanOrEqual(limitBytes + 1);
      }),
    );
  });
});
