/** The same request to resend many, and what counts as failed when it is made (contract 12.4). */
import { expect, it } from '@jest/globals';
import { afterAnOutage } from '../../support/webhook/outage.ts';

it('is the same while it is not completed, also after 20 minutes: nothing is sent twice', async () => {
  let isStalled = false;
  let resentBefore = 0;
  const { gateway, recover, request, resent } = await afterAnOutage({
    messages: 60,
    deliveriesThrough: (store) => ({
      ...store,
      async replace(seen, next) {
        if (isStalled && next.state === 'pending') {
          resentBefore += 1;
          if (resentBefore > 30) throw new Error('throttled');
        }
        return store.replace(seen, next);
      },
    }),
  });
  async function requestFor(seconds: number, state?: 'acknowledged') {
    const asked = request(state === undefined ? {} : { state });
    await gateway.run(seconds);
    return asked.catch(() => undefined);
  }
  recover();
  await requestFor(310);
  const first = resent().length;
  isStalled = true;
  await requestFor(1225, 'acknowledged');
  isStalled = false;
  await requestFor(25, 'acknowledged');
  await gateway.run(1200);
  const again = Map.groupBy(resent().slice(first), ({ deliveryId }) => deliveryId);
  expect([...again.values()].filter((posts) => posts.length > 1)).toEqual([]);
});

it.each([0, 200, 2000])(
  'has what is shown as failed, also where a worker’s clock is ahead by %d ms',
  async (ms) => {
    let skewMs = ms;
    const { gateway, recover, request } = await afterAnOutage({
      messages: 10,
      endsAtOnce: true,
      skewMs: () => skewMs,
    });
    skewMs = 0;
    const rows = await Promise.all([...gateway.deliveryIds].map((id) => gateway.deliveries.get(id)));
    expect(new Set(rows.map((row) => row?.state))).toEqual(new Set(['failed']));
    recover();
    const asked = request();
    await gateway.run(130);
    const { resend_id } = await asked;
    expect((await gateway.resends.get(resend_id))?.matched).toBe(rows.length);
  },
);
