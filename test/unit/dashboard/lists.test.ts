/** What lists of the dashboard make of filters, pages and columns. */
import { describe, expect, it } from '@jest/globals';
import { MutationObserver } from '@tanstack/react-query';
import { ApiError } from '../../../dashboard/api/api-error.ts';
import { allRows } from '../../../dashboard/api/pages.ts';
import { newQueryClient } from '../../../dashboard/api/queries.ts';
import { type Column, csvOf, csvOnly } from '../../../dashboard/components/columns.ts';
import { rangeFault, rangeOf, timesOf, withStart } from '../../../dashboard/components/time-range.ts';
import { changedQuery, linkTo } from '../../../dashboard/route.ts';

interface Row {
  readonly id: string;
  readonly count: number | null;
  readonly scopes: readonly string[];
  readonly created_at: string;
}

const row: Row = { id: '=1+1', count: null, scopes: ['a', 'b'], created_at: '2026-11-22T10:00:00Z' };

describe('a column', () => {
  it('is in the CSV file by the name of its field or its own names, with the value and not what is shown', () => {
    const columns: readonly Column<Row>[] = [
      { title: 'Id', field: 'id', cell: () => 'shown', csv: { first: ({ scopes }) => scopes[0] } },
      { title: 'Scopes', cell: () => 'shown', csv: { scopes: ({ scopes }) => scopes.join(' ') } },
      { title: 'Action', cell: () => 'shown' },
      { title: 'Created', field: 'created_at', isTime: true },
      ...csvOnly<Row>('count'),
    ];
    // A spreadsheet would compute the id.
    expect(csvOf(columns, [row])).toBe(
      "id,first,scopes,created_at,count\r\n'=1+1,a,a b,2026-11-22T10:00:00Z,\r",
    );
    expect(csvOf(columns, [])).toBe('id,first,scopes,created_at,count\r');
  });
});

describe('a download', () => {
  const pages =
    (count: number, onRead: (page: number) => void = () => undefined) =>
    async ({ cursor, limit }: { readonly cursor: string | undefined; readonly limit: string }) => {
      const page = Number(cursor ?? 0);
      onRead(page);
      const rows = Array.from({ length: Number(limit) }, () => row);
      return { rows, nextCursor: page + 1 < count ? String(page + 1) : undefined };
    };

  it('has all rows, however many pages they are, and says how many it has read', async () => {
    const counts: number[] = [];
    const all = await allRows(pages(53), (count) => counts.push(count) > 0);
    expect(all?.rows).toHaveLength(5300);
    expect([counts.length, counts.at(-1)]).toEqual([53, 5300]);
  });

  it.each([
    ['waits where the gateway takes no more requests now', new ApiError(429, 'The limit is used up.'), 9],
    ['repeats a page that failed', new ApiError(503, 'Try again soon.'), 2],
    ['repeats a page without a response', new ApiError(0, 'The gateway cannot be reached.'), 2],
  ])('%s, and leaves nothing out', async (_, error, failures) => {
    let left = failures;
    const read = pages(4, (page) => {
      if (page === 2 && left > 0) {
        left -= 1;
        throw error;
      }
    });
    let pauses = 0;
    const all = await allRows(
      read,
      () => true,
      async () => {
        pauses += 1;
      },
    );
    expect([all?.rows.length, pauses]).toEqual([400, failures]);
  });

  it('says what the list leaves out as it was when the download began, not when the list was shown', async () => {
    const read = pages(2);
    const all = await allRows(
      async (page) => ({
        ...(await read(page)),
        ...(page.cursor === undefined ? { leftOut: 'One more client has such messages.' } : {}),
      }),
      () => true,
    );
    expect([all?.rows.length, all?.leftOut]).toEqual([200, 'One more client has such messages.']);
  });

  it.each([
    ['that is refused', 403, 0],
    ['that fails again and again', 503, 2],
  ])('is no part of a list: it fails with a page %s', async (_, status, pausesExpected) => {
    const failing = pages(4, (page) => {
      if (page === 2) throw new ApiError(status, 'This is the error.');
    });
    let pauses = 0;
    const all = allRows(
      failing,
      () => true,
      async () => {
        pauses += 1;
      },
    );
    await expect(all).rejects.toThrow('This is the error.');
    expect(pauses).toBe(pausesExpected);
  });

  it('ends without a file where nobody waits for it', async () => {
    expect(await allRows(pages(4), (count) => count < 200)).toBeUndefined();
  });
});

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
  const before = new URLSearchParams('status=failed&after=c1&after=c2&selected=m1');
  const changedTo = (values: Parameters<typeof changedQuery>[1]) => changedQuery(before, values).toString();

  it('begins at the first page, with nothing selected, where a filter changes', () => {
    expect(changedTo({ client_id: 'client_1' })).toBe('status=failed&client_id=client_1');
  });

  it('loses a filter that is emptied', () => {
    expect(changedTo({ status: '' })).toBe('');
  });

  it('keeps the page and the selection that are given', () => {
    expect(changedTo({ after: ['c1', 'c2'], selected: ['m2', 'm3'] })).toBe(
      'status=failed&after=c1&after=c2&selected=m2&selected=m3',
    );
    expect(before.toString()).toBe('status=failed&after=c1&after=c2&selected=m1');
  });

  it('has ids and values of any characters, and no empty filters', () => {
    const query = { recipient: '+44 7', status: '' };
    expect(linkTo('clients', 'a/b?c', query, 'live')).toBe('#/clients/a%2Fb%3Fc?recipient=%2B44+7');
    expect(linkTo('clients', undefined, {}, 'test')).toBe('#/test/clients');
  });
});
