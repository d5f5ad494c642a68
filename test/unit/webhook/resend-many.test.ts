/** Resending many webhooks: each of them once, and nothing that was not asked for (contract 12.4). */
import { describe, expect, it } from '@jest/globals';
import { addSeconds, type Sleep } from '../../../shared/platform/clock.ts';
import { alerted, type Delivery } from '../../../shared/webhook/delivery.ts';
import {
  readDeliveries,
  replaceDelivery,
  storeDelivery,
} from '../../../shared/webhook/delivery-store.dynamo.ts';
import {
  type ResendRequest,
  requestResend,
  resendRequestSchema,
} from '../../../shared/webhook/log/request-resend.ts';
import { type Resend, readResend } from '../../../shared/webhook/log/resend.ts';
import { created } from '../../support/message/example-message.ts';
import type { AroundCall } from '../../support/simulation/direct-database.ts';
import { failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

it.each([
  ['https://example.com', true],
  ['https://example.com:8443', true],
  ['arn:aws:sqs:eu-west-1:111122223333:orders.fifo', true],
  ['arn:aws:events:eu-west-1:111122223333:event-bus/orders', true],
  ['https://example.com/', false],
  ['example.com', false],
  ['null', false],
  ['arn:aws:s3:::bucket', false],
])('takes %s as an origin: %s', (origin, isTaken) => {
  const { success } = resendRequestSchema.safeParse({ origin, since: '2026-11-20T10:00:00Z' });
  expect(success).toBe(isTaken);
});

/** Two events of each message have failed; the workers continue what is asked for. */
async function afterAnOutage(
  messages: number,
  {
    more = {},
    around,
    status = 200,
  }: { more?: Partial<Delivery>; around?: AroundCall; status?: number } = {},
) {
  const workers = webhookWorkers({
    answer: () => ({ afterMs: 20, status }),
    ...(around === undefined ? {} : { around }),
  });
  const failed = Array.from({ length: messages }, (_, index) =>
    ['sms.delivered', 'sms.sent'].map((event) =>
      failedDelivery({ messageId: `msg_01KAG0000000000000000${10_000 + index}`, event, more }),
    ),
  ).flat();
  for (const delivery of failed) {
    await storeDelivery(workers, delivery);
  }
  const request = async (seconds: number, wanted: Partial<ResendRequest> = {}): Promise<Resend> => {
    const asked = requestResend(workers, 'client-a', 'client-a', {
      since: addSeconds(created, -86_400),
      ...wanted,
    });
    await Promise.allSettled([asked, workers.run(seconds)]);
    return (await readResend(workers, (await asked).resend_id)) ?? asked;
  };
  const ids = failed.map(({ delivery_id }) => delivery_id).toSorted();
  return {
    ...{ workers, request, ids },
    posted: () => workers.posts.map(({ deliveryId }) => deliveryId).toSorted(),
  };
}

describe('everything that failed', () => {
  it('is resent once, evenly, by the retry queue, and counted, also after the request', async () => {
    const { workers, request, ids, posted } = await afterAnOutage(100);
    const during = await request(5);
    expect(during).toMatchObject({ status: 'sending', matched: 200 });
    await workers.run(120);
    expect(await readResend(workers, during.resend_id)).toMatchObject({ status: 'completed', resent: 200 });
    expect(posted()).toEqual(ids);
    expect(new Set(workers.posts.map(({ queue }) => queue))).toEqual(new Set(['retries']));
    const times = workers.posts.map(({ at }) => at.getTime());
    const most = (ms: number) =>
      Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
    expect(most(10_000)).toBeLessThanOrEqual(250);
    expect(most(200)).toBeLessThanOrEqual(8);
  });

  it.each([false, true])(
    'is included while its alert is pending, which is sent; noted meanwhile: %s',
    async (isNoted) => {
      const pending = new Map<string, Delivery>();
      const { workers, request, ids, posted } = await afterAnOutage(10, {
        more: { alert_pending: true },
        async around({ operation, input }, run) {
          const { Item } = input as {
            readonly Item?: { readonly state?: unknown; readonly delivery_id?: unknown };
          };
          const seen = pending.get(String(Item?.delivery_id));
          if (
            operation === 'PutItem' &&
            JSON.stringify(Item?.state)?.includes('pending') &&
            seen !== undefined
          ) {
            pending.delete(seen.delivery_id);
            await replaceDelivery(workers, seen, alerted(seen, `${seen.revision} alerted`));
          }
          return run();
        },
      });
      if (isNoted) for (const seen of await readDeliveries(workers, ids)) pending.set(seen.delivery_id, seen);
      expect(await request(130)).toMatchObject({ status: 'completed', matched: 20, resent: 20 });
      expect(posted()).toEqual(ids);
      expect(new Set(workers.failuresReported)).toEqual(new Set(ids));
    },
  );

  it('is resent more slowly where writes take long, because others wait for them too', async () => {
    const secondsFor = async (latencyMs: number) => {
      let sleep: Sleep = async () => {};
      const { workers, request } = await afterAnOutage(40, {
        async around(_call, run) {
          await sleep(latencyMs);
          return run();
        },
      });
      sleep = workers.sleep;
      workers.at(290, () => {
        sleep = async () => {};
      });
      await request(300);
      const times = workers.posts.map(({ at }) => at.getTime());
      expect(times).toHaveLength(80);
      return (Math.max(...times) - Math.min(...times)) / 1000;
    };
    expect(await secondsFor(1000)).toBeGreaterThan(1.5 * (await secondsFor(5)));
  });

  it('is resent where a write fails: what is left comes a minute later', async () => {
    let isFirst = true;
    const { workers, request } = await afterAnOutage(5, {
      around({ operation, input }, run) {
        const isResent = operation === 'PutItem' && JSON.stringify(input).includes('"manual"');
        if (!isResent || !isFirst) return run();
        isFirst = false;
        throw new Error('throttled');
      },
    });
    await expect(request(300)).rejects.toThrow('throttled');
    expect(workers.posts).toHaveLength(10);
  });

  it('is one request where the same is asked for many times at one moment, or before it is completed', async () => {
    const { workers, request, ids, posted } = await afterAnOutage(18);
    const all = await Promise.all([request(0), request(0), request(40)]);
    const later = await request(500);
    expect(new Set([...all, later].map(({ resend_id }) => resend_id)).size).toBe(1);
    expect(later).toMatchObject({ status: 'completed', matched: 36, resent: 36 });
    expect(posted()).toEqual(ids);
    expect(
      workers.tables.rows('activity_log').filter(({ summary }) => String(summary).includes('requested')),
    ).toHaveLength(1);
  });

  it('is resent again only by a later request, if it fails again', async () => {
    const { request, posted } = await afterAnOutage(5, { status: 500 });
    const first = await request(600);
    expect(posted()).toHaveLength(10);
    expect((await request(600)).resend_id).not.toBe(first.resend_id);
    expect(posted()).toHaveLength(20);
  });

  it('leaves out what was acknowledged in the meantime, unless it is asked for', async () => {
    const { request, posted } = await afterAnOutage(5);
    await request(60);
    expect(posted()).toHaveLength(10);
    const until = addSeconds(created, 1);
    expect(await request(60, { until })).toMatchObject({ status: 'completed', matched: 0 });
    expect(await request(120, { state: 'acknowledged' })).toMatchObject({ resent: 10 });
    expect(posted()).toHaveLength(20);
  });

  it('sends what was skipped if that is asked for', async () => {
    const { request, posted } = await afterAnOutage(5, { more: { state: 'skipped' } });
    expect(await request(60)).toMatchObject({ status: 'completed', matched: 0 });
    expect(await request(120, { state: 'skipped' })).toMatchObject({ resent: 10 });
    expect(posted()).toHaveLength(10);
  });

  it('leaves out other origins, endpoints and times', async () => {
    const { request, posted } = await afterAnOutage(5);
    for (const other of [
      { origin: 'https://other.example.com' },
      { since: addSeconds(created, 3600) },
      { until: addSeconds(created, -80_000) },
    ])
      expect(await request(60, other)).toMatchObject({ status: 'completed', matched: 0 });
    const unknown = request(60, { endpoint_id: 'whe_01KAG00000000000000000000A' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    expect(posted()).toEqual([]);
    await request(60, { origin: 'https://endpoint.example.com' });
    expect(posted()).toHaveLength(10);
  });
});
