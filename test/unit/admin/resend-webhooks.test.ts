/** Many webhooks sent again at once: at a bounded rate, each with a result, however the calls behind them fare. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { resendWebhooks } from '../../../shared/admin/manage-webhooks.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import { storeDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { strictSqs } from '../../support/engine/strict-sqs.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

const idOf = (index: number): string => `whd_${String(index).padStart(26, '0')}`;

/** @param unreachable - how many calls of a delivery's store fail */
async function failedDeliveries(count: number, unreachable: ReadonlyMap<string, number> = new Map()) {
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  const failuresLeft = new Map(unreachable);
  const seen = { underWay: 0, mostUnderWay: 0, delaysMs: [] as number[], requeued: [] as string[] };
  const sqs = strictSqs({
    deliver: (_queue, { MessageBody = '' }) => void seen.requeued.push(JSON.parse(MessageBody).delivery_id),
  });
  const stored = testContext(inMemoryTables(), { clock: () => now, sqs: () => sqs });
  for (const delivery_id of ids) {
    const given = {
      delivery_id,
      client_id: 'client_a',
      message_id: `msg_${delivery_id}`,
      event: 'sms.sent',
      url: 'https://endpoint.example.com/',
      body: '{}',
    } as const;
    await storeDelivery(stored, { ...newDelivery(given, now, 1, randomUUID()), state: 'failed' });
  }
  const dependencies = withCalls(stored, async ({ operation, input }, run) => {
    if (operation !== 'Get') return run();
    const { delivery_id: id = '' } = input.Key as { readonly delivery_id?: string };
    seen.underWay += 1;
    seen.mostUnderWay = Math.max(seen.mostUnderWay, seen.underWay);
    // Longer than many of the pauses between two starts.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    seen.underWay -= 1;
    const left = failuresLeft.get(id) ?? 0;
    failuresLeft.set(id, left - 1);
    if (left > 0) throw new Error('no connection');
    return run();
  }) as unknown as AdminContext;
  const sleep = async (ms: number): Promise<void> => {
    seen.delaysMs.push(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { dependencies, ids, seen, sleep };
}

describe('resending many webhooks', () => {
  it('has no more than ten under way and starts no more than twenty a second', async () => {
    const { dependencies, ids, seen, sleep } = await failedDeliveries(306);
    const results = await resendWebhooks(dependencies, 'ada', ids, { sleep });
    expect(results).toEqual(ids.map((delivery_id) => ({ delivery_id, outcome: 'resent' })));
    expect(seen.mostUnderWay).toBe(10);
    expect(seen.delaysMs).toEqual(Array.from({ length: 305 }, () => 50));
  });

  it('tries one again that did not get through, and goes on with the others where it never does', async () => {
    const { dependencies, ids, seen, sleep } = await failedDeliveries(
      20,
      new Map([
        [idOf(3), 2],
        [idOf(7), Number.POSITIVE_INFINITY],
      ]),
    );
    const results = await resendWebhooks(dependencies, 'ada', ids, { sleep });
    expect(results.filter(({ outcome }) => outcome !== 'resent')).toEqual([
      { delivery_id: idOf(7), outcome: 'failed', error: 'no connection' },
    ]);
    expect(seen.requeued.toSorted()).toEqual(ids.filter((id) => id !== idOf(7)).toSorted());
  });
});
