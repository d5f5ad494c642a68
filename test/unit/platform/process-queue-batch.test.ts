import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import {
  type FurtherOptions,
  type HandlerResult,
  processAndReceiveFurther,
  processBatch,
  type QueueRecord,
} from '../../../shared/platform/process-queue-batch.ts';
import { virtualTime } from '../../support/simulation/virtual-time.ts';

const recordOf = (messageId: string): QueueRecord => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  body: '{}',
  attributes: { ApproximateReceiveCount: '1' },
});

/** A worker whose messages take as long as their names say, on a queue that gets `later` at these times. */
function aWorker(later: Readonly<Record<string, number>> = {}, changes: Partial<FurtherOptions> = {}) {
  const time = virtualTime(0);
  const queue: string[] = [];
  for (const [name, atMs] of Object.entries(later)) time.at(atMs, () => queue.push(name));
  const started = new Map<string, number>();
  const deleted: string[] = [];
  const hidden: [receipt: string, seconds: number][] = [];
  let receives = 0;
  let runningMax = 0;
  let running = 0;
  const options: FurtherOptions = {
    further: {
      async receive(max) {
        receives += 1;
        for (let waitedMs = 0; queue.length === 0 && waitedMs < 1000; waitedMs += 50) await time.sleep(50);
        return queue.splice(0, max).map(recordOf);
      },
      delete: async (receipt) => void deleted.push(receipt),
    },
    changeVisibility: async (receipt, seconds) => void hidden.push([receipt, seconds]),
    afterMs: 300,
    untilMs: 7000,
    messagesMax: 100,
    clock: () => new Date(time.now()),
    sleep: time.sleep,
    ...changes,
  };
  async function work({ messageId }: QueueRecord): Promise<HandlerResult> {
    started.set(messageId, time.now());
    running += 1;
    runningMax = Math.max(runningMax, running);
    await time.sleep(Number(/\d+/.exec(messageId)?.[0]));
    running -= 1;
    if (messageId.includes('fails')) throw new Error(messageId);
    return messageId.includes('held') ? { retryAfterSeconds: 9 } : {};
  }
  return {
    started,
    deleted,
    hidden,
    receives: () => receives,
    runningMax: () => runningMax,
    async run(...names: string[]) {
      let endedAt = Number.NaN;
      const running = processAndReceiveFurther(names.map(recordOf), options, work).then((answer) => {
        endedAt = time.now();
        return answer;
      });
      await time.runUntil(60_000);
      return { answer: await running, endedAt };
    },
  };
}

describe('a worker that waits for a message', () => {
  it('takes none while ten of its messages wait for nobody, and some where one of them waits', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `3000 ${'abcdefghij'[index]}`);
    const busy = aWorker({ 'more 40': 0 }, { waiting: () => 0 });
    await busy.run(...names);
    expect(busy.started.get('more 40')).toBe(3000);
    const waits = aWorker({ 'more 40': 0 }, { waiting: () => 1 });
    await waits.run(...names);
    expect(waits.started.get('more 40')).toBe(300);
  });

  it('takes further messages of its queue meanwhile, and deletes them', async () => {
    const worker = aWorker({ 'a 40': 1000, 'b 40': 4000 });
    const { answer, endedAt } = await worker.run('slow 5000');
    expect(worker.started.get('a 40')).toBeLessThan(1100);
    expect(worker.started.get('b 40')).toBeLessThan(4100);
    expect(worker.deleted).toEqual(['receipt of a 40', 'receipt of b 40']);
    expect(answer).toEqual({ batchItemFailures: [] });
    // Its last receive waits for up to a second.
    expect(endedAt).toBeLessThanOrEqual(6000);
  });

  it('makes no call for a batch that ends soon', async () => {
    const worker = aWorker({ 'a 40': 10 });
    await worker.run('x 40', 'y 250');
    expect(worker.receives()).toBe(0);
  });

  it('takes none so late that its time limit could end it, however many take long', async () => {
    const later = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`slow 5000 ${i}`, i * 50]));
    const worker = aWorker(later, { messagesMax: 1000 });
    const { endedAt } = await worker.run('slow 5000');
    // The last receive starts before 7 s.
    expect(Math.max(...worker.started.values())).toBeLessThanOrEqual(8000);
    expect(endedAt).toBeLessThanOrEqual(13_000);
  });

  it('has at most so many messages at once', async () => {
    const later = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`slow 5000 ${i}`, 400]));
    const worker = aWorker(later, { messagesMax: 12 });
    await worker.run('slow 5000');
    expect(worker.runningMax()).toBe(12);
  });

  it('leaves a further message that failed in the queue, and reports one of its batch', async () => {
    const worker = aWorker({ 'fails 40': 500, 'fine 40': 500 });
    const { answer } = await worker.run('slow 2000', 'fails 20');
    expect(worker.deleted).toEqual(['receipt of fine 40']);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'fails 20' }] });
  });

  it('hides a message that asks for it, whichever worker received it', async () => {
    const worker = aWorker({ 'held 40': 500 });
    const { answer } = await worker.run('slow 2000', 'held 20');
    expect(worker.hidden).toEqual([
      ['receipt of held 20', 9],
      ['receipt of held 40', 9],
    ]);
    expect(worker.deleted).toEqual([]);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'held 20' }] });
  });

  it('ends its batch where the queue cannot be reached', async () => {
    const worker = aWorker(
      {},
      {
        further: {
          receive: () => Promise.reject(new Error('unreachable')),
          delete: () => Promise.reject(new Error('unreachable')),
        },
      },
    );
    const { answer, endedAt } = await worker.run('slow 5000');
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(endedAt).toBeLessThan(5300);
  });

  it('ends well where a further message cannot be deleted', async () => {
    const worker = aWorker(
      {},
      {
        further: {
          receive: async () => [recordOf('a 40')],
          delete: () => Promise.reject(new Error('unreachable')),
        },
        messagesMax: 2,
      },
    );
    const { answer } = await worker.run('slow 1000');
    expect(answer).toEqual({ batchItemFailures: [] });
  });
});

const schema = z.object({ id: z.string() });

function batchOf(...bodies: string[]): SQSEvent {
  return { Records: bodies.map((body, i) => ({ ...recordOf(`m${i}`), body })) } as unknown as SQSEvent;
}

describe('a batch of queue messages', () => {
  it('reports the message that failed and acknowledges the others', async () => {
    const done: string[] = [];
    const answer = await processBatch(
      batchOf('{"id":"a"}', '{"id":"b"}', '{"id":"c"}'),
      schema,
      async ({ id }) => {
        if (id === 'b') throw new Error('no');
        done.push(id);
        return {};
      },
    );
    expect(done).toEqual(['a', 'c']);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });

  it.each(['not JSON', '{"id":7}', 'null'])(
    'reports a message with the body %s as failed, so that it goes to the dead-letter queue',
    async (body) => {
      const answer = await processBatch(batchOf(body, '{"id":"a"}'), schema, async () => ({}));
      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    },
  );

  it('handles all messages at the same time, so that none waits for a slow one', async () => {
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    const ended: string[] = [];
    // The first ends only after the second has started.
    await processBatch(batchOf('{"id":"slow"}', '{"id":"quick"}'), schema, async ({ id }) => {
      if (id === 'slow') await freed;
      else free();
      ended.push(id);
      return {};
    });
    expect(ended).toEqual(['quick', 'slow']);
  });
});
