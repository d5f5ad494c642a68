import { describe, expect, it } from '@jest/globals';
import { channels } from '../../../shared/contract/channels.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { amountsOf, combinationsIn, errorCodesIn, usageStatuses } from '../../../shared/usage/amounts.ts';
import { aMessage } from '../../support/message/example-message.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** What DynamoDB stores of one row. */
const rowMaxBytes = 400 * 1024;
/** The size of a number of up to 10 digits, with the bytes that DynamoDB adds. */
const numberBytes = 7;

describe('the amounts of a message', () => {
  it('say again what it is, for every channel, type and state', () => {
    for (const channel of channels) {
      for (const type of ['transactional', 'promotional'] as const) {
        for (const status of usageStatuses) {
          const message = aMessage({ channel, type, status, segments: 3, cost: 0.07, currency: 'USD' });
          const found = combinationsIn(amountsOf(message));
          const about = { channel, type, status, country: null };
          expect(found).toEqual([
            { ...about, measure: 'messages', amount: 1 },
            ...(channel === 'sms' ? [{ ...about, measure: 'segments', amount: 3 }] : []),
            { ...about, measure: { currency: 'USD' }, amount: 70_000 },
            { ...about, measure: 'estimated', amount: 1 },
          ]);
        }
      }
    }
  });

  it('have the error code of a message that failed', () => {
    const failed = aMessage({ status: 'failed', error_code: 'carrier_rejected' });
    expect([...errorCodesIn(amountsOf(failed))]).toEqual([['carrier_rejected', 1]]);
    expect(combinationsIn(amountsOf(failed))).toHaveLength(1);
  });

  it('of every kind of message, to every country, fit into one row', () => {
    const names = new Set<string>();
    const countries = letters.flatMap((one) => letters.slice(0, 10).map((other) => one + other));
    for (const channel of channels)
      for (const type of ['transactional', 'promotional'] as const)
        for (const status of usageStatuses)
          for (const country of countries) {
            // A message that never reached a carrier has no cost.
            const before = status === 'scheduled' || status === 'queued' || status === 'canceled';
            const cost = before ? {} : { cost: 0.07, currency: 'USD' };
            const message = aMessage({ channel, type, status, country, segments: 1, ...cost });
            for (const name of amountsOf(message).keys()) names.add(name);
          }
    for (const code of Object.keys(messageErrorCodes)) names.add(`error.${code}`);
    const bytes = [...names].reduce((sum, name) => sum + name.length + numberBytes, 0);
    expect(bytes).toBeLessThan(rowMaxBytes);
  });
});
