/** Scheduled messages are enqueued minutes ahead, each with the delay until its time, whatever is due beside them. */
import { describe, expect, it } from '@jest/globals';
import type { OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import {
  enqueueScheduled,
  handOverOf,
  timedDueItemOf,
  timedOf,
} from '../../../shared/message/dispatch/scheduled-entries.ts';
import type { Message } from '../../../shared/message/message.ts';
import { RefusedEntries } from '../../../shared/platform/aws/permanent-fault.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { chunksOf } from '../../../shared/platform/long-lists.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const dueAt = addSeconds(created, 86_400);

async function campaignOf(size: number) {
  const { messages, dueItemIndex } = inMemoryStores();
  const campaign: Message[] = [];
  for (let index = 0; index < size; index += 1) {
    const message = aMessage({
      message_id: derivedId('msg', String(index)),
      status: 'scheduled',
      scheduled_at: dueAt.toISOString(),
    });
    campaign.push(message);
    await messages.create(message);
  }
  // As the relay gets them.
  for (const batch of chunksOf(campaign, 100))
    await dueItemIndex.add('scheduled', batch.flatMap(handOverOf).map(timedDueItemOf));
  const queued: (OutboundEntry & { readonly at: Date })[] = [];
  let now = created;
  const enqueue = async (entries: readonly OutboundEntry[]) =>
    void queued.push(...entries.map((entry) => ({ ...entry, at: addSeconds(now, entry.delaySeconds) })));
  /** The run of a minute, so many seconds before the messages are due. */
  function runBefore(seconds: number, given: { budgetMs?: number; enqueue?: typeof enqueue } = {}) {
    now = addSeconds(dueAt, -seconds);
    const outbound = { enqueue: given.enqueue ?? enqueue };
    const { budgetMs = 10_000 } = given;
    return enqueueScheduled({ dueItemIndex, messages, outbound, clock: () => now, budgetMs });
  }
  const idsOf = (some: readonly { readonly message_id: string }[]) =>
    some.map(({ message_id }) => message_id).toSorted();
  return { messages, dueItemIndex, campaign, queued, runBefore, idsOf };
}

describe('a campaign', () => {
  it('larger than one run is in the queue by the next ones, but for the message that was canceled', async () => {
    const { messages, dueItemIndex, campaign, queued, runBefore, idsOf } = await campaignOf(2000);
    const [canceled] = campaign;
    await messages.transition(canceled?.message_id ?? '', { to: 'canceled', at: created });
    const enqueued: number[] = [];
    // No time is left after the first rows of each shard.
    for (let minute = 15; minute > 0; minute -= 1)
      enqueued.push((await runBefore(60 * minute, { budgetMs: -1 })).enqueued);
    expect(enqueued[0]).toBe(0);
    expect(enqueued.filter((count) => count > 0).length).toBeGreaterThan(3);
    expect(queued.map(({ messageId }) => messageId).toSorted()).toEqual(idsOf(campaign.slice(1)));
    expect(new Set(queued.map(({ at }) => at.getTime()))).toEqual(new Set([dueAt.getTime()]));
    expect(dueItemIndex.all()).toEqual([]);
  });

  it('that the scan for missed messages entered as well is enqueued once', async () => {
    const { campaign, dueItemIndex, queued, runBefore, idsOf } = await campaignOf(500);
    // In other chunks than the relay's, so each entry is another one.
    for (const batch of chunksOf(campaign.toReversed(), 70))
      await dueItemIndex.add('scheduled', batch.flatMap(timedOf).map(timedDueItemOf));
    expect((await runBefore(840)).enqueued).toBe(500);
    expect(queued.map(({ messageId }) => messageId).toSorted()).toEqual(idsOf(campaign));
    expect(dueItemIndex.all()).toEqual([]);
  });

  it('whose queue is out of reach is enqueued by the next run', async () => {
    const { campaign, queued, runBefore, idsOf } = await campaignOf(30);
    const throttled = await runBefore(800, { enqueue: () => Promise.reject(refusal('Throttling')) });
    expect(throttled.failures.length).toBeGreaterThan(0);
    await runBefore(740);
    expect(queued.map(({ messageId }) => messageId).toSorted()).toEqual(idsOf(campaign));
    expect(new Set(queued.map(({ delaySeconds }) => delaySeconds))).toEqual(new Set([740]));
  });

  it('is done although its queue refuses a message: the review after its time sets that aside', async () => {
    const { dueItemIndex, runBefore } = await campaignOf(30);
    const refused = new RefusedEntries([{ index: 3, code: 'InvalidMessageContents' }]);
    expect((await runBefore(800, { enqueue: () => Promise.reject(refused) })).failures).toEqual([]);
    expect(dueItemIndex.all()).toEqual([]);
  });
});
