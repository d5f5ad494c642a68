import { describe, expect, it } from '@jest/globals';
import { callerAddress } from '../../../shared/http/request-context.ts';

const proxies = { addresses: ['192.0.2.0/24', '2001:db8:1::/48'], header: 'X-Real-IP' };
const caller = '203.0.113.7';

describe('the address of a caller', () => {
  it.each(['192.0.2.10', '2001:db8:1::2'])('is the one that a trusted proxy names: %s', (proxy) => {
    expect(callerAddress(proxies)(proxy, { 'x-real-ip': caller })).toBe(caller);
    expect(callerAddress(proxies)(proxy, { 'x-real-ip': ' 2001:db8:9::1 ' })).toBe('2001:db8:9::1');
  });

  it.each(['198.51.100.1', '192.0.3.1', '2001:db8:2::1', 'no-address'])(
    'is the source address of everybody else, whatever headers it sends: %s',
    (source) => {
      const headers = { 'x-real-ip': caller, 'x-forwarded-for': '192.0.2.10', forwarded: 'for=192.0.2.10' };
      expect(callerAddress(proxies)(source, headers)).toBe(source);
      expect(callerAddress(undefined)(source, headers)).toBe(source);
    },
  );

  it.each([undefined, '', 'unknown', `${caller}, 192.0.2.10`, `${caller}:443`, '192.0.2.10/32'])(
    'is the address of the proxy if the proxy names none: %j',
    (named) => {
      expect(callerAddress(proxies)('192.0.2.10', named === undefined ? {} : { 'x-real-ip': named })).toBe(
        '192.0.2.10',
      );
    },
  );

  it('is never read from X-Forwarded-For, into which callers write', () => {
    expect(callerAddress(proxies)('192.0.2.10', { 'x-forwarded-for': caller })).toBe('192.0.2.10');
  });
});
