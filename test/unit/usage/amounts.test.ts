import { describe, expect, it } from '@jest/globals';
import { channels } from '../../../shared/contract/channels.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { amountsOf, combinationsIn, errorCodesIn, usageStatuses } from '../../../shared/usage/amounts.ts';
import { totalOf } from '../../../shared/usage/read-usage.ts';
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
          const sms = channel === 'sms' ? { segments: 3, avoidable_segments: 2 } : {};
          const isHandedOver = !['scheduled', 'queued', 'canceled'].includes(status);
          const message = aMessage({ channel, type, status, ...sms, cost: 0.07, currency: 'USD' });
          const found = combinationsIn(amountsOf(message));
          const about = { channel, type, status, country: null };
          expect(found).toEqual([
            { ...about, measure: 'messages', amount: 1 },
            ...(channel === 'sms'
              ? [
                  { ...about, measure: 'segments', amount: 3 },
                  ...(isHandedOver ? [{ ...about, measure: 'avoidable_segments', amount: 2 }] : []),
                ]
              : []),
            { ...about, measure: { currency: 'USD' }, amount: 70_000 },
            { ...about, measure: 'estimated', amount: 1 },
          ]);
        }
      }
    }
  });

  it('give the avoidable segments the average cost of a segment, by country', () => {
    const sent = { status: 'sent' } as const;
    const rows = [
      aMessage({ ...sent, country: 'GB', segments: 3, avoidable_segments: 2, cost: 0.3, currency: 'USD' }),
      aMessage({ ...sent, country: 'GB', segments: 1, cost: 0.1, currency: 'USD' }),
      aMessage({ ...sent, country: 'FR', segments: 2, avoidable_segments: 1, cost: 2, currency: 'USD' }),
      // A cost in another currency does not count, and neither does a message that has no cost yet.
      aMessage({ ...sent, country: 'US', segments: 2, avoidable_segments: 1, cost: 5, currency: 'EUR' }),
      aMessage({ ...sent, country: 'DE', segments: 2, avoidable_segments: 1 }),
    ];
    const sums = new Map<string, number>();
    for (const [name, amount] of rows.flatMap((row) => [...amountsOf(row)]))
      sums.set(name, (sums.get(name) ?? 0) + amount);
    expect(totalOf(sums, 'USD')).toMatchObject({ segments: 10, avoidable_segments: 5, avoidable_cost: 1.2 });
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
            // No carrier reports that an SMS was read.
            if (channel === 'sms' && status === 'read') continue;
            // A message that never reached a carrier has no cost.
            const before = status === 'scheduled' || status === 'queued' || status === 'canceled';
            const cost = before ? {} : { cost: 0.07, currency: 'USD' };
            const sms = channel === 'sms' ? { segments: 2, avoidable_segments: 1 } : {};
            const message = aMessage({ channel, type, status, country, ...sms, ...cost });
            for (const name of amountsOf(message).keys()) names.add(name);
          }
    for (const code of Object.keys(messageErrorCodes)) names.add(`error.${code}`);
    const bytes = [...names].reduce((sum, name) => sum + name.length + numberBytes, 0);
    expect(bytes).toBeLessThan(rowMaxBytes);
  });
});
