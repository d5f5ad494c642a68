/** The addresses that webhooks reach, against a library that knows the special ranges: the two are independent. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isAllowedAddress } from '../../../shared/webhook/address-guard.ts';

const deployed = { allowLoopback: false, allowHttp: false, ports: 'any' } as const;
const local = { ...deployed, allowLoopback: true };

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const isatap = (fifth & 0xfdff) === 0 && sixth === 0x5efe;
  return first >> 13 === 1 && !isatap;
}

/** What both say about an address, in all texts that it has. */
function verdicts(bytes: readonly number[]) {
  const address = ipaddr.fromByteArray([...bytes]);
  const texts = [address.toString(), address.toNormalizedString()];
  const isLoopback = ipaddr.process(address.toString()).range() === 'loopback';
  return {
    own: texts.map((text) => [text, isAllowedAddress(text, deployed), isAllowedAddress(text, local)]),
    theirs: texts.map((text) => [text, isPublic(address), isPublic(address) || isLoopback]),
  };
}

/** The first and the last address of a block, and the neighbours of both. */
function edges(network: readonly number[], prefix: number): number[][] {
  const bits = BigInt(network.length * 8);
  const first = network.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const last = first | ((1n << (bits - BigInt(prefix))) - 1n);
  return [first - 1n, first, first + 1n, last - 1n, last, last + 1n].map((number) =>
    network.map((_, place) => Number((number >> (bits - 8n * BigInt(place + 1))) & 255n)),
  );
}

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
const isBlock = (blocks: unknown): blocks is Block => !Array.isArray((blocks as readonly unknown[])[0]);
const known = [ipaddr.IPv4, ipaddr.IPv6].flatMap(({ prototype }) =>
  Object.entries((prototype as unknown as { SpecialRanges: Record<string, Block | Block[]> }).SpecialRanges),
);

describe('an address is allowed where it is on the public internet', () => {
  it.each(known)('at the edges of %s', (_name, blocks) => {
    for (const [network, prefix] of isBlock(blocks) ? [blocks] : blocks) {
      for (const bytes of edges(network.toByteArray(), prefix)) {
        const { own, theirs } = verdicts(bytes);
        expect(own).toEqual(theirs);
      }
    }
  });

  it.each([
    ['any IPv4', []],
    ['any IPv6', []],
    ['global IPv6', [[0x20, 0x21, 0x26, 0x3f]]],
    ['IPv6 with few groups', [[0x20, 0x2a], [0, 1], ...Array<number[]>(10).fill([0, 0, 1])]],
    ['IPv4 in IPv6', [...Array<number[]>(10).fill([0]), [255], [255]]],
    ['ISATAP', [[0x2a], [1], ...Array<number[]>(6).fill([0, 1]), [0, 2], [0, 1], [0x5e], [0xfe, 0xff]]],
  ] as const)('among %s', (kind, choices) => {
    const byte = fc.integer({ min: 0, max: 255 });
    const bytes = Array.from({ length: kind.endsWith('IPv4') ? 4 : 16 }, (_, place) => {
      const some = choices[place];
      return some === undefined ? byte : fc.constantFrom(...some);
    });
    fc.assert(
      fc.property(fc.tuple(...bytes), (address) => {
        const { own, theirs } = verdicts(address);
        expect(own).toEqual(theirs);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['2a00::1%eth0', 'fe80::1%eth0', '::1%lo', '0x7f.1', '127.1', '10', '1.2.3.4 ', '[2a00::1]', ''])(
    'never as %j, which is no address on the internet',
    (text) => {
      expect([isAllowedAddress(text, deployed), isAllowedAddress(text, local)]).toEqual([false, false]);
    },
  );
});
