/** A search without a client covers the clients that have such messages, within bounds that it tells of. */
import { expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { messageQuery, searchMessages } from '../../../shared/admin/find-messages.ts';
import type { MessageFilter } from '../../../shared/admin/message-search.dynamo.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import { aClient } from '../../support/message/ask-operation.ts';

type Options = Parameters<AdminContext['messages']['search']>[1];

/** What was searched, where client number n had n failed messages on each day. */
async function searched(query: Readonly<Record<string, string>>, clients = 30) {
  const asked: { filter: MessageFilter; options: Options }[] = [];
  const periods: string[] = [];
  const context = withCalls(testContext(), async ({ operation, input }) => {
    if (operation === 'Get')
      return { Item: aClient({ client_id: String(Object.values(input.Key as object)) }) };
    const period = String(input.ExpressionAttributeValues?.[':period']);
    periods.push(period);
    const ids = ['*', ...Array.from({ length: clients }, (_, index) => `client_${index}`)];
    return {
      Items: ids.map((client_id, index) => ({
        period,
        client_id,
        's.t.GB.f.m': index - 1,
        's.t.GB.d.m': 1,
        'error.unreachable': client_id === 'client_3' ? 1 : 0,
      })),
    };
  });
  const dependencies = {
    ...context,
    mode: 'live',
    clock: () => new Date('2026-11-20T12:00:00.000Z'),
    messages: {
      search: async (filter: MessageFilter, options: Options) => {
        asked.push({ filter, options });
        return { messages: [] };
      },
    },
  };
  const answer = await searchMessages(dependencies as unknown as AdminContext, messageQuery.parse(query));
  return { answer, periods, ...asked[0] };
}

it('searches the clients with the most such messages of the last day, and says how many it left out', async () => {
  const { answer, filter, options } = await searched({ status: 'failed' });
  expect(filter).toEqual({ clientIds: Array.from({ length: 20 }, (_, index) => `client_${29 - index}`) });
  expect(answer.clients_left_out).toBe(9);
  expect(options).toMatchObject({
    since: '2026-11-19T12:00:00.000Z',
    until: '2026-11-20T12:00:00.000Z',
    condition: { status: 'failed' },
  });
});

it('searches those with an error code, and those with any message where the status passes within seconds', async () => {
  expect(await searched({ error_code: 'unreachable' })).toMatchObject({
    filter: { clientIds: ['client_3'] },
  });
  const sending = await searched({ status: 'sending' }, 3);
  expect(sending.filter).toEqual({ clientIds: ['client_2', 'client_1', 'client_0'] });
  expect(sending.answer).not.toHaveProperty('clients_left_out');
});

it('reads the rows of days for a week, and those of months for a longer time', async () => {
  const { periods: week } = await searched({ status: 'failed', since: '2026-11-13T12:00:00Z' });
  expect(week).toEqual([13, 14, 15, 16, 17, 18, 19, 20].map((day) => `2026-11-${day}`));
  const { periods: longer } = await searched({ status: 'failed', since: '2026-09-20T12:00:00Z' });
  expect(longer).toEqual(['2026-09', '2026-10', '2026-11']);
});

it.each([
  [{}, 'all'],
  [{ status: 'received' }, 'inbound'],
  [{ direction: 'inbound' }, 'inbound'],
  [{ status: 'failed' }, 'outbound'],
  [{ error_code: 'unreachable' }, 'outbound'],
] as const)(
  '%j is searched in the direction %s, also among the messages that belong to no client',
  async (query, direction) => {
    const { filter, options } = await searched(query, 1);
    expect(options?.direction).toBe(direction);
    const { clientIds } = filter as { clientIds: string[] };
    expect(clientIds.includes('nobody')).toBe(direction !== 'outbound');
  },
);

it.each([
  [
    { recipient: '+447700900123', client_id: 'client_1' },
    { recipient: '+447700900123', mode: 'live' },
    { client_id: 'client_1' },
  ],
  [
    { recipient: '+447700900123', client_id: 'client_1', reference: 'order 5' },
    { clientId: 'client_1', reference: 'order 5' },
    { recipient: '+447700900123' },
  ],
  [{ recipient: '+447700900123' }, { recipient: '+447700900123', mode: 'live' }, {}],
  [{ client_id: 'client_1' }, { clientId: 'client_1' }, {}],
])('%j is searched in one index, and only the rest is compared', async (query, index, compared) => {
  const { filter, options } = await searched(query);
  expect(filter).toEqual(index);
  expect(Object.entries(options?.condition ?? {}).filter(([, value]) => value !== undefined)).toEqual(
    Object.entries(compared),
  );
});

it.each<Record<string, string>>([
  { since: '2026-06-01T00:00:00Z', until: '2026-11-20T00:00:00Z' },
  { reference: 'order 5' },
])('refuses %j', async (query) => {
  await expect(searched(query)).rejects.toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
