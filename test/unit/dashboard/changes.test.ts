/** What follows a change by the admin API, and what an address says after another filter. */
import { describe, expect, it } from '@jest/globals';
import { MutationObserver } from '@tanstack/react-query';
import { newQueryClient } from '../../../dashboard/api/queries.ts';
import { changedQuery, linkTo } from '../../../dashboard/route.ts';

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
