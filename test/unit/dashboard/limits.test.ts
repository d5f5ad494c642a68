/** What the dashboard and the shell take for a limit, before it is sent. */
import { describe, expect, it } from '@jest/globals';
import { limitFault } from '../../../shared/limit/entered-limits.ts';

describe('a limit', () => {
  const faultOf = (cap: 'messages' | 'spend' | null) => (text: string) => limitFault({ cap }, text);

  it.each(['', ' 600 ', '1,000', '1,000,000,000', '1000000000'])(
    'of requests or messages may be %j',
    (text) => {
      expect([null, 'messages' as const].map((cap) => faultOf(cap)(text))).toEqual([undefined, undefined]);
    },
  );

  it.each(['0', '-1', '1,00', '1.000', '7.5', '1e9', '1000000001', 'ten'])(
    'of requests or messages is not %j',
    (text) => {
      expect(faultOf(null)(text)).toMatch(/whole number from 1 to 1,000,000,000/);
      expect(faultOf('messages')(text)).toMatch(/whole number/);
    },
  );

  it.each(['', '1000', '250.50', '0.125', '1.0000', '1234.567'])('of spend may be %j', (text) => {
    expect(faultOf('spend')(text)).toBeUndefined();
  });

  it.each(['0', '0.00', '1,000', '12,5', '1e3', '1.', 'ten'])('of spend is not %j', (text) => {
    expect(faultOf('spend')(text)).toMatch(/amount above 0/);
  });

  it('of spend is not what is a thousand in one language and 1 in another', () => {
    expect(faultOf('spend')('1.000')).toBe('Enter 1000 or 1.0000: the point is the decimal point.');
    expect(faultOf('spend')('12.500')).toMatch(/Enter 12500 or 12.5000/);
  });
});
