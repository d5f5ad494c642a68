/** A time is compared with the time before of the same length, and only what changed a lot is abnormal. */
import { expect, it } from '@jest/globals';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { compareUsage, type UsageComparison } from '../../../shared/admin/usage-change.ts';
import type { Amounts } from '../../../shared/usage/amounts.ts';

const day = (period: string): number => Date.parse(`${period}T00:00:00Z`) / 86_400_000;

/** @param amountsOn - of the client on a day, by its name; undefined for none */
async function compared(
  since: string,
  until: string,
  amountsOn: (period: string) => Record<string, number>,
  now = '2026-11-25T12:00:00.000Z',
): Promise<UsageComparison> {
  const dependencies = {
    clock: () => new Date(now),
    currency: 'USD',
    usage: {
      rowsIn: async (period: string) => {
        const amounts: Amounts = new Map(Object.entries(amountsOn(period)));
        return [{ period, clientId: 'client_1', amounts }];
      },
    },
    clients: { list: async () => ({ clients: [{ client_id: 'client_1', name: 'Shop' }] }) },
  };
  return compareUsage(dependencies as unknown as AdminDependencies, undefined, {
    since: new Date(since),
    until: new Date(until),
    groupBy: ['client'],
  });
}

const times = ({ from, to, before_from, before_to }: UsageComparison) =>
  [from, to, before_from, before_to].map((time) => time.slice(0, 13));

it.each([
  ['2026-10-01', '2026-11-01', ['2026-10-01T00', '2026-11-01T00', '2026-09-01T00', '2026-10-01T00']],
  ['2026-11-01', '2026-12-01', ['2026-11-01T00', '2026-11-25T00', '2026-10-01T00', '2026-10-25T00']],
  ['2026-11-10', '2026-11-17', ['2026-11-10T00', '2026-11-17T00', '2026-11-03T00', '2026-11-10T00']],
  [
    '2026-11-25',
    '2026-11-25T11:30:00Z',
    ['2026-11-25T00', '2026-11-25T11', '2026-11-24T13', '2026-11-25T00'],
  ],
])('%s to %s is compared, in whole days or hours, with the time before', async (since, until, expected) => {
  expect(times(await compared(since, until, () => ({})))).toEqual(expected);
});

it('says what is left out because its day is not over', async () => {
  expect((await compared('2026-11-10', '2026-11-17', () => ({}))).left_out).toBeNull();
  expect((await compared('2026-11-19', '2026-11-26', () => ({}))).left_out).toBe(
    'Left out: everything from 2026-11-25 00:00 on, as only whole days are compared.',
  );
});

it('a client has its name, its sums of both times, and how many times as many messages', async () => {
  const { changes } = await compared('2026-11-10', '2026-11-17', (period) =>
    day(period) < day('2026-11-10')
      ? { 's.t.GB.d.m': 10 }
      : { 's.t.GB.d.m': 12, 's.t.GB.f.m': 3, 's.t.GB.d.USD': 5000 },
  );
  expect(changes).toEqual([
    {
      client_id: 'client_1',
      client_name: 'Shop',
      now: { messages: 105, delivered: 84, failed: 21, cost: 0.035 },
      before: { messages: 70, delivered: 70, failed: 0, cost: 0 },
      factor: 1.5,
      abnormal: ['more failures'],
    },
  ]);
});

it.each([
  [100, 0, ['new']],
  [99, 0, []],
  [200, 100, ['many more messages']],
  [199, 100, []],
  [50, 100, ['far fewer messages']],
  [51, 100, []],
  [0, 100, ['far fewer messages']],
  [10, 40, []],
])('%d messages after %d are abnormal: %j', async (now, before, abnormal) => {
  const { changes } = await compared('2026-11-12', '2026-11-14', (period) => {
    const amounts: Record<string, number> = {};
    if (period === '2026-11-12' && now > 0) amounts['s.t.GB.d.m'] = now;
    if (period === '2026-11-11' && before > 0) amounts['s.t.GB.d.m'] = before;
    return amounts;
  });
  expect(changes.map((change) => change.abnormal)).toEqual([abnormal]);
});
