/** What the overview says to look at: each failing endpoint and cap once, and nothing that is over. */

import { expect, it } from '@jest/globals';
import { type Activity, addActivity } from '../../../shared/activity/write-activity.dynamo.ts';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { attention } from '../../../shared/admin/attention.ts';
import { dueFields } from '../../../shared/due/due-index.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { type Delivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import { storeDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

interface Failed extends Pick<Delivery, 'delivery_id' | 'client_id' | 'url'> {
  readonly created_at: string;
  readonly state?: Delivery['state'];
}

const failed = (of: Failed): Delivery => ({
  ...newDelivery({ message_id: 'msg_1', event: 'sms.sent', body: '{}', ...of }, now, 30, 'failed'),
  ...{ state: 'failed', ...of },
});

interface Given {
  readonly others?: readonly Partial<Activity>[];
  /** Ids in the due index. */
  readonly unfinished?: readonly string[];
}

/** Attempts are a minute after 11 o'clock and the status of the response. */
function waiting(
  of: Omit<Failed, 'created_at'>,
  attempts: readonly (readonly [minute: string, status: number])[],
): Delivery {
  return {
    ...failed({ ...of, state: of.state ?? 'retry_scheduled', created_at: '2026-11-20T11:00:00.000Z' }),
    attempts: attempts.map(([minute, status], index) => {
      const at = `2026-11-20T11:${minute}:00.000Z`;
      return {
        number: index + 1,
        ...{ trigger: 'automatic', due_at: at, started_at: at, ended_at: at, lateness_ms: 0, total_ms: 10 },
        ...{ reused_connection: false, request_headers: {}, response_headers: {}, response_body: '' },
        status,
        ...(status === 200 ? {} : { error: 'not_200' }),
      };
    }),
  };
}

async function attentionOf(deliveries: readonly Delivery[], { others = [], unfinished = [] }: Given = {}) {
  const entries = [
    ...deliveries
      .filter(({ state }) => state === 'failed' || state === 'acknowledged')
      .map(({ delivery_id, client_id, created_at }) => ({
        kind: 'webhook_failed' as const,
        at: created_at,
        delivery_id,
        client_id,
      })),
    ...others,
  ];
  const context = testContext();
  for (const [index, entry] of entries.entries()) {
    const { at = now.toISOString() } = entry;
    const entry_id = derivedIdAt('act', new Date(at), String(index));
    await addActivity(context, { ...entry, entry_id, at, summary: '' } as Activity);
  }
  for (const delivery of deliveries) {
    const { delivery_id } = delivery;
    const isDue = unfinished.includes(delivery_id);
    const due = dueFields(delivery_id, isDue ? addSeconds(now, 300) : undefined);
    await storeDelivery(context, { ...delivery, ...due });
  }
  const dependencies = {
    ...withCalls(context, async ({ operation }, run) => (operation === 'Scan' ? { Count: 1 } : run())),
    mode: 'live',
    clock: () => now,
    retentionDays: 90,
  };
  return attention(dependencies as unknown as AdminContext);
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
      waiting: 0,
      since: '2026-11-20T09:00:00.000Z',
      last_error: null,
    },
    expect.objectContaining({ client_id: 'client_2', failed: 1 }),
  ]);
});

it('an endpoint is listed before any of its webhooks has failed permanently, with the time of the oldest event', async () => {
  const shop = { client_id: 'client_1', url: 'https://shop.example/hook' };
  const { failing_endpoints } = await attentionOf(
    [
      waiting({ ...shop, delivery_id: 'whd_1' }, [
        ['04', 503],
        ['05', 503],
      ]),
      waiting({ ...shop, delivery_id: 'whd_2', state: 'attempting' }, [['07', 503]]),
      // Not yet tried, and acknowledged since its entry was written.
      waiting({ ...shop, delivery_id: 'whd_3', state: 'pending' }, []),
      waiting({ ...shop, delivery_id: 'whd_4', state: 'acknowledged' }, [['08', 200]]),
    ],
    { unfinished: ['whd_1', 'whd_2', 'whd_3', 'whd_4'] },
  );
  expect(failing_endpoints).toEqual([
    {
      client_id: 'client_1',
      origin: 'https://shop.example',
      failed: 0,
      waiting: 2,
      since: '2026-11-20T11:00:00.000Z',
      last_error: 'HTTP 503',
    },
  ]);
});

it('a queue that fails has its ARN as its origin', async () => {
  const url = 'arn:aws:sqs:eu-west-1:111122223333:orders';
  const queue = failed({
    client_id: 'client_1',
    delivery_id: 'whd_1',
    url,
    created_at: '2026-11-20T09:00:00.000Z',
  });
  expect((await attentionOf([queue])).failing_endpoints).toMatchObject([{ origin: url }]);
});

it('a cap is listed once for each window, until the window ends', async () => {
  const notice = (kind: Activity['kind'], window: string, resets_at: string) => ({
    kind,
    client_id: 'client_1',
    summary: `${kind} ${window}`,
    after: { window, resets_at },
  });
  const tomorrow = '2026-11-21T00:00:00.000Z';
  const { caps } = await attentionOf([], {
    others: [
      notice('spend_cap_nearly_reached', 'day', tomorrow),
      notice('spend_cap_reached', 'day', tomorrow),
      notice('spend_cap_nearly_reached', 'month', '2026-12-01T00:00:00.000Z'),
      notice('spend_cap_reached', 'hour', '2026-11-20T11:00:00.000Z'),
    ],
  });
  expect(caps.map(({ window, is_reached }) => [window, is_reached])).toEqual([
    ['day', true],
    ['month', false],
  ]);
});
