import { expect, it } from '@jest/globals';
import { summarizeUsage } from '../../../shared/admin/usage.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import { aClient } from '../../support/message/ask-operation.ts';

/** Each day of November has as many messages as its number says. */
async function summaryOf(time: Parameters<typeof summarizeUsage>[1]) {
  const context = withCalls(testContext(), async ({ operation, input }) => {
    if (operation === 'Get') return { Item: aClient({ name: 'Shop' }) };
    const period = String(input.ExpressionAttributeValues?.[':period']);
    const amounts = {
      's.t.GB.d.m': Number(period.slice(8)),
      'error.unreachable': 1,
      'error.retired_code': 2,
    };
    return { Items: ['*', 'client_1'].map((client_id) => ({ period, client_id, ...amounts })) };
  });
  return summarizeUsage({ ...context, mode: 'live' } as never, time);
}

const summaryAt = (interval: 'day' | 'week', at: string) => summaryOf({ interval, at: new Date(at) });

it.each(['2026-11-16T00:00:00.000Z', '2026-11-18T12:00:00.000Z', '2026-11-22T23:59:59.999Z'])(
  'the week of %s is the sum of its days from Monday to Sunday',
  async (at) => {
    const summary = await summaryAt('week', at);
    expect([summary.from, summary.to]).toEqual(['2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z']);
    const messages = 16 + 17 + 18 + 19 + 20 + 21 + 22;
    expect(summary.total).toMatchObject({ messages, delivery_rate: 1 });
    expect(summary.top_clients).toMatchObject([{ client_id: 'client_1', name: 'Shop', messages }]);
    expect(summary.error_codes.map((code) => code.messages)).toEqual([14, 7]);
  },
);

it('other days are whole, from the first to the last, and no more than a month', async () => {
  const days = { since: new Date('2026-11-03T08:00:00.000Z'), until: new Date('2026-11-05T00:00:01.000Z') };
  const { from, to, total } = await summaryOf(days);
  expect([from, to, total?.messages]).toEqual([
    '2026-11-03T00:00:00.000Z',
    '2026-11-06T00:00:00.000Z',
    3 + 4 + 5,
  ]);
  await expect(summaryOf({ ...days, since: new Date('2026-10-01T00:00:00.000Z') })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

it('an error code has its meaning, where this release knows it', async () => {
  const { error_codes } = await summaryAt('day', '2026-11-20T10:00:00.000Z');
  expect(error_codes).toEqual([
    { error_code: 'retired_code', meaning: null, messages: 2 },
    { error_code: 'unreachable', meaning: expect.stringContaining('could not be reached'), messages: 1 },
  ]);
});
