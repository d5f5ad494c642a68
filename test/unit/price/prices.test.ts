/** The expected price depends on the recipient's country and the segments, and is undefined where none is known. */
import { describe, expect, it } from '@jest/globals';
import { expectedPrice, type PriceTable, priceTable } from '../../../shared/contract/prices.ts';
import { aSendingMessage } from '../../support/message/example-message.ts';

const table: PriceTable = {
  currency: 'EUR',
  sms: { GB: 0.0387, DE: 0.1, default: 0.07 },
  whatsapp: { GB: 0.05 },
};

describe('the expected price', () => {
  it.each([
    ['+447400123456', 1, 0.0387],
    ['+447700900123', 3, 0.1161],
    ['+4915123456789', 2, 0.2],
    ['+33612345678', 1, 0.07],
  ])('of an SMS to %s in %i segments is %d', (recipient, segments, cost) => {
    expect(expectedPrice(table, aSendingMessage({ recipient, segments }))).toEqual({ cost, currency: 'EUR' });
  });

  it('of a WhatsApp message is for the whole of it', () => {
    expect(expectedPrice(table, aSendingMessage({ channel: 'whatsapp', segments: 3 }))?.cost).toBe(0.05);
  });

  it('is absent for a country without one, where there is no default', () => {
    expect(
      expectedPrice(table, aSendingMessage({ channel: 'whatsapp', recipient: '+33612345678' })),
    ).toBeUndefined();
  });
});

it.each([
  [{ sms: {} }],
  [{ currency: 'dollars' }],
  [{ currency: 'USD', sms: { Germany: 0.1 } }],
  [{ currency: 'USD', sms: { DE: -0.1 } }],
  [{ currency: 'USD', sms: { DE: '0.1' } }],
])('a table such as %j is refused', (faulty) => {
  expect(priceTable().safeParse(faulty).success).toBe(false);
});
