/** What one call of `record-receipt` may have to do fits its time limit: it would begin anew each time, and never end. */
import { expect, it } from '@jest/globals';
import { recordTimeoutSeconds } from '../../../lib/capabilities/messaging/record-receipt-function.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

/** Processor time of a call with 512 MB of memory, which is a third of a processor. */
const processorMs = 1.5;
const latencyMs = 8;
const batchSize = 10;

/** Counts the calls, and how often some of them are waited for: those that are made together are waited for once. */
function stopwatch() {
  const count = { calls: 0, waits: 0 };
  let waiting: (() => void)[] = [];
  const around = async (_call: unknown, run: () => object) => {
    count.calls += 1;
    const answered = new Promise<void>((resolve) => waiting.push(resolve));
    if (waiting.length === 1)
      setImmediate(() => {
        count.waits += 1;
        const now = waiting;
        waiting = [];
        for (const resolve of now) resolve();
      });
    await answered;
    return run();
  };
  const reset = () => Object.assign(count, { calls: 0, waits: 0 });
  const seconds = (callsAtOnce = 1) =>
    (callsAtOnce * count.calls * processorMs + count.waits * latencyMs) / 1000;
  return { around, reset, seconds };
}

it('ten callbacks with a thousand receipts each, the first time and when they are repeated', async () => {
  const { around, reset, seconds } = stopwatch();
  const { context } = inMemoryStores(inMemoryTables({ around }));
  const stored = Array.from({ length: 1000 }, (_, index) =>
    aMessage({ message_id: `msg_${index}`, status: 'sent', sent_at: created.toISOString() }),
  );
  await Promise.all(stored.map((message) => createMessage(context, message)));
  const dependencies = { ...context, priceOf: () => undefined };
  const receipts = stored.map(({ message_id: messageId }) => ({
    messageId,
    transition: { to: 'delivered' as const, at: addSeconds(created, 1) },
  }));
  for (const outcome of ['recorded', 'ignored']) {
    reset();
    const { recorded } = await recordReceipts(dependencies, receipts, 1);
    expect(new Set(recorded.map((each) => each.outcome))).toEqual(new Set([outcome]));
    expect(seconds(batchSize)).toBeLessThan(recordTimeoutSeconds);
  }
});
