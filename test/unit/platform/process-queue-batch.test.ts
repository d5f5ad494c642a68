import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { processBatch } from '../../../shared/platform/process-queue-batch.ts';

const schema = z.object({ id: z.string() });

function batchOf(...bodies: string[]): SQSEvent {
  const records = bodies.map((body, i) => ({
    messageId: `m${i}`,
    body,
    attributes: { ApproximateReceiveCount: '1' },
  }));
  return { Records: records } as unknown as SQSEvent;
}

describe('a batch of queue messages', () => {
  it('gives back the one that failed and is done with the others', async () => {
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
    'gives back a message that says %s, towards the dead letters',
    async (body) => {
      const answer = await processBatch(batchOf(body, '{"id":"a"}'), schema, async () => ({}));
      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    },
  );

  it('works on all of them at once, so that none waits for a slow one', async () => {
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    // The first ends only once the second has begun.
    await processBatch(batchOf('{"id":"slow"}', '{"id":"quick"}'), schema, async ({ id }) => {
      if (id === 'slow') await freed;
      else free();
      return {};
    });
  });
});
