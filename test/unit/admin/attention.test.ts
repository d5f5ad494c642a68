/** What the overview says to look at: each failing endpoint and cap once, and nothing that is over. */
import { expect, it } from '@jest/globals';
import type { Activity, ActivityQuery } from '../../../shared/activity/activity-log.ts';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { attention } from '../../../shared/admin/attention.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

interface Failed extends Pick<Delivery, 'delivery_id' | 'client_id' | 'url'> {
  readonly created_at: string;
  readonly state?: Delivery['state'];
}

const failed = (of: Failed): Delivery =>
  ({ message_id: 'msg_1', event: 'sms.sent', state: 'failed', attempts: [], ...of }) as unknown as Delivery;

function attentionOf(deliveries: readonly Delivery[], others: readonly Partial<Activity>[] = []) {
  const entries = [
    ...deliveries.map(({ delivery_id, client_id }) => ({
      kind: 'webhook_failed' as const,
      delivery_id,
      client_id,
    })),
    ...others,
  ] as unknown as Activity[];
  const asked: ActivityQuery[] = [];
  const dependencies = {
    clock: () => now,
    activity: {
      list: async (query: ActivityQuery) => {
        asked.push(query);
        return { entries: entries.filter(({ kind }) => kind === query.kind) };
      },
    },
    deliveries: { getMany: async () => deliveries },
    overrides: {
      listRows: async () => ({
        rows: [
          { client_id: 'client_1', endpoint: 'POST /api/v1/sms/send', per_minute: 'many' },
          { client_id: 'client_1', endpoint: 'POST /api/v1/otp/send', per_minute: 10 },
        ],
      }),
    },
    capDefaults: {},
  };
  return attention(dependencies as unknown as AdminDependencies);
}

it('an endpoint has the number of its failed webhooks and the time of the oldest; acknowledged ones do not count', async () => {
  const shop = { client_id: 'client_1', url: 'https://shop.example/hook?order=1' };
  const { failing_endpoints } = await attentionOf([
    failed({ ...shop, delivery_id: 'whd_1', created_at: '2026-11-20T10:00:00.000Z' }),
    failed({
      ...shop,
      delivery_id: 'whd_2',
      created_at: '2026-11-20T09:00:00.000Z',
      url: 'https://shop.example/other',
    }),
    // The same webhook, which failed again after it was resent.
    failed({ ...shop, delivery_id: 'whd_1', created_at: '2026-11-20T10:00:00.000Z' }),
    failed({
      ...shop,
      delivery_id: 'whd_3',
      created_at: '2026-11-20T08:00:00.000Z',
      state: 'acknowledged',
    }),
    failed({ ...shop, client_id: 'client_2', delivery_id: 'whd_4', created_at: '2026-11-20T11:00:00.000Z' }),
  ]);
  expect(failing_endpoints).toEqual([
    {
      client_id: 'client_1',
      origin: 'https://shop.example',
      failed: 2,
      since: '2026-11-20T09:00:00.000Z',
      last_error: null,
    },
    expect.objectContaining({ client_id: 'client_2', failed: 1 }),
  ]);
});

it('a cap is told of once for each window, until the window ends', async () => {
  const notice = (kind: Activity['kind'], window: string, resets_at: string) => ({
    kind,
    client_id: 'client_1',
    summary: `${kind} ${window}`,
    after: { window, resets_at },
  });
  const tomorrow = '2026-11-21T00:00:00.000Z';
  const { caps, invalid_overrides } = await attentionOf(
    [],
    [
      notice('spend_cap_nearly_reached', 'day', tomorrow),
      notice('spend_cap_reached', 'day', tomorrow),
      notice('spend_cap_nearly_reached', 'month', '2026-12-01T00:00:00.000Z'),
      notice('spend_cap_reached', 'hour', '2026-11-20T11:00:00.000Z'),
    ],
  );
  expect(caps.map(({ window, is_reached }) => [window, is_reached])).toEqual([
    ['day', true],
    ['month', false],
  ]);
  expect(invalid_overrides).toBe(1);
});
