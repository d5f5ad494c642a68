import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { processBatch, type QueueRecord } from '../../../shared/platform/process-queue-batch.ts';

const recordOf = (messageId: string): QueueRecord => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  body: '{}',
  attributes: { ApproximateReceiveCount: '1' },
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

  it('hides a message that asks for it, and reports it as failed', async () => {
    const hidden: [receipt: string, seconds: number][] = [];
    const answer = await processBatch(
      batchOf('{"id":"held"}', '{"id":"a"}'),
      schema,
      async ({ id }) => (id === 'held' ? { retryAfterSeconds: 9 } : {}),
      async (receipt, seconds) => void hidden.push([receipt, seconds]),
    );
    expect(hidden).toEqual([['receipt of m0', 9]]);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  });

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
