/** Many messages on a stream that repeats, cuts anew and overlaps its batches, read by workers that die. */
import { expect, it } from '@jest/globals';
import type { Message, Status } from '../../../shared/message/message.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { countChanges } from '../../../shared/usage/count-changes.ts';
import { changeRecords } from '../../../shared/usage/usage-counter.dynamo.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { type Kill, Killed, killable, noKill } from '../../support/faults/kill-process.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { streamRecords } from '../../support/message/stream-records.ts';
import { compareUsage } from '../../support/usage/compare-usage.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const messagesMax = 2000;

const way: readonly Status[] = ['queued', 'sending', 'sent', 'delivered'];
const other: readonly Status[] = ['queued', 'sending', 'failed'];

it('leaves the usage that the messages have', async () => {
  const random = randomFrom(20261122);
  let at = start;
  const stream = streamRecords(() => addSeconds(at, 5), random);
  const { usage } = inMemoryStores();
  const records: StreamRecord[] = [];
  const messages: Message[] = [];
  for (let n = 0; n < messagesMax; n += 1) {
    at = addSeconds(start, n * 3);
    let before: Message | undefined;
    for (const status of random() < 0.8 ? way : other) {
      const cost =
        status === 'sent'
          ? { cost: 0.0042, currency: 'USD' }
          : status === 'delivered' && random() < 0.7
            ? { cost: Math.floor(random() * 1e5) / 1e5, currency: 'USD', cost_reported: true }
            : {};
      const first = aMessage({
        message_id: `msg_${n}`,
        client_id: `client-${n % 7}`,
        country: n % 3 === 0 ? 'US' : 'GB',
        segments: 1 + (n % 3),
        created_at: at.toISOString(),
      });
      const after: Message = { ...(before ?? first), ...cost, status };
      records.push(...stream.change(before, after));
      before = after;
    }
    if (before !== undefined) messages.push(before);
  }

  const worker = (kill: Kill): Parameters<typeof countChanges>[0] => ({
    counter: killable(usage, kill),
    sleep: async () => undefined,
    random,
  });
  const counted = async (from: number, length: number, kill: Kill): Promise<boolean> => {
    try {
      await countChanges(worker(kill), changeRecords(records.slice(from, from + length)));
      return true;
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  };
  let repeated = 0;
  for (let from = 0; from < records.length; ) {
    const length = 1 + Math.floor(random() * 200);
    const kill: Kill = {
      at: random() < 0.5 ? Math.floor(random() * 12) : -1,
      when: random() < 0.5 ? 'before' : 'after',
      calls: 0,
    };
    // An earlier worker that still runs has some of the same records, cut elsewhere.
    const earlier = counted(Math.max(0, from - 150), 1 + Math.floor(random() * 300), noKill());
    const [done] = await Promise.all([counted(from, length, kill), earlier]);
    if (done) from += length;
    else repeated += 1;
  }
  expect(repeated).toBeGreaterThan(10);
  expect((await compareUsage(usage, messages)).faults).toEqual([]);
});
