/** What lists of the dashboard make of filters and pages. */
import { describe, expect, it } from '@jest/globals';
import { MutationObserver } from '@tanstack/react-query';
import { newQueryClient } from '../../../dashboard/api/queries.ts';
import { rangeFault, rangeOf, timesOf, withStart } from '../../../dashboard/components/time-range.ts';
import { changedQuery, linkTo } from '../../../dashboard/route.ts';

describe('the filter of a time', () => {
  const relative = { last: '24-hour', since: '', until: '' };
  const absolute = { last: '', since: '2026-11-22T08:00:00.000Z', until: '2026-11-22T09:00:00.000Z' };

  it.each([relative, absolute, { last: '', since: '', until: '' }])(
    'is the same after the address: %j',
    (times) => {
      expect(timesOf(rangeOf(times))).toEqual(times);
    },
  );

  it('is in UTC in the address, whatever zone it is entered in', () => {
    const range = {
      type: 'absolute',
      startDate: '2026-11-22T10:00:00+02:00',
      endDate: '2026-11-22T11:00:00+02:00',
    } as const;
    expect(timesOf(range)).toEqual(absolute);
  });

  it('is ignored where the address has no time that there is', () => {
    expect(rangeOf({ last: '24-constructor', since: '', until: '' })).toBeNull();
    expect(rangeOf({ last: '', since: absolute.since, until: '' })).toBeNull();
  });

  it('begins, where it is relative, so long before now', () => {
    const now = Date.parse('2026-11-22T10:00:00Z');
    const query = { status: 'failed', last: '24-hour', since: '' };
    expect(withStart(query, now)).toEqual({ status: 'failed', since: '2026-11-21T10:00:00.000Z' });
    expect(withStart({ ...query, last: '' }, now)).toEqual({ status: 'failed', since: '' });
  });

  it.each([
    [{ type: 'absolute', startDate: '2026-11-22T10:00:00Z', endDate: '' }, /start and the end/],
    [
      { type: 'absolute', startDate: '2026-11-22T10:00:00Z', endDate: '2026-11-22T09:00:00Z' },
      /after the end/,
    ],
    [{ type: 'relative', amount: Number.NaN, unit: 'hour' }, /duration/],
    [{ type: 'relative', amount: 10_000, unit: 'hour' }, /duration/],
  ] as const)('says what is wrong with %j', (range, said) => {
    expect(rangeFault(range)).toMatch(said);
  });

  it.each([null, rangeOf(relative), rangeOf(absolute)])('takes %j', (range) => {
    expect(rangeFault(range)).toBeUndefined();
  });
});

describe('a change', () => {
  it.each([
    ['done', async () => 'done'],
    ['refused', async () => Promise.reject(new Error('Refused.'))],
  ])('that is %s loads again all that is on the screen', async (_, mutationFn) => {
    const client = newQueryClient(() => undefined);
    client.setQueryData(['shown'], 1);
    await new MutationObserver(client, { mutationFn }).mutate().catch(() => undefined);
    expect(client.getQueryState(['shown'])?.isInvalidated).toBe(true);
    client.clear();
  });

  it('that is refused causes a notice, unless its form shows it', async () => {
    const notified: string[] = [];
    const client = newQueryClient((message) => notified.push(message));
    const refused = async (meta: { readonly showsError?: boolean }) => {
      const mutationFn = () => Promise.reject(new Error('Refused.'));
      await new MutationObserver(client, { mutationFn, meta }).mutate().catch(() => undefined);
      return [...notified];
    };
    expect(await refused({ showsError: true })).toEqual([]);
    expect(await refused({})).toEqual(['Refused.']);
    client.clear();
  });
});

describe('the address of a list', () => {
  const before = new URLSearchParams('status=failed&after=c1&page=2');
  const changedTo = (values: Parameters<typeof changedQuery>[1]) => changedQuery(before, values).toString();

  it('begins at the first page where a filter changes', () => {
    expect(changedTo({ client_id: 'client_1' })).toBe('status=failed&client_id=client_1');
  });

  it('loses a filter that is emptied', () => {
    expect(changedTo({ status: '' })).toBe('');
  });

  it('goes to the page that is given', () => {
    expect(changedTo({ after: 'c2', page: '3' })).toBe('status=failed&after=c2&page=3');
    expect(before.toString()).toBe('status=failed&after=c1&page=2');
  });

  it('has ids and values of any characters, and no empty filters', () => {
    const query = { recipient: '+44 7', status: '' };
    expect(linkTo('clients', 'a/b?c', query, 'live')).toBe('#/clients/a%2Fb%3Fc?recipient=%2B44+7');
    expect(linkTo('clients', undefined, {}, 'test')).toBe('#/test/clients');
  });
});
