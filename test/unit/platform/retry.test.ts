import type { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { batchRead } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import { retry, retryRemaining } from '../../../shared/platform/retry.ts';

describe('a retry', () => {
  it('waits before each, reports each error, and throws the last one', async () => {
    const slept: number[] = [];
    const warned: unknown[] = [];
    let calls = 0;
    const policy = {
      delaysMs: [10, 20],
      sleep: async (ms: number) => void slept.push(ms),
      warn: (error: unknown) => void warned.push(error),
    };
    const failing = retry(policy, () => Promise.reject(new Error(`call ${++calls}`)));
    await expect(failing).rejects.toThrow('call 3');
    expect(slept).toEqual([10, 20]);
    expect(warned).toEqual([new Error('call 1'), new Error('call 2')]);
  });

  it('is not made for an error that is not retryable', async () => {
    let calls = 0;
    const policy = { delaysMs: [0, 0], isRetryable: (error: unknown) => !(error instanceof TypeError) };
    const failing = retry(policy, () => {
      calls += 1;
      return Promise.reject(calls === 1 ? new Error('passes') : new TypeError('stays'));
    });
    await expect(failing).rejects.toThrow('stays');
    expect(calls).toBe(2);
  });
});

describe('what a call leaves undone', () => {
  it('is passed to the next call, without what was done', async () => {
    const calls: (readonly number[])[] = [];
    await retryRemaining([1, 2, 3], async (items) => {
      calls.push(items);
      return items.slice(1);
    });
    expect(calls).toEqual([[1, 2, 3], [2, 3], [3]]);
  });

  it('is not called for again after an error of the call', async () => {
    let calls = 0;
    const failing = retryRemaining([1], () => {
      calls += 1;
      return Promise.reject(new Error('denied'));
    });
    await expect(failing).rejects.toThrow('denied');
    expect(calls).toBe(1);
  });
});

it('a batch read finds every row, 100 to a call, also those that DynamoDB leaves out at first', async () => {
  const sizes: number[] = [];
  const client = {
    send: async ({ input }: BatchGetCommand) => {
      const keys = input.RequestItems?.rows?.Keys ?? [];
      sizes.push(keys.length);
      const done = keys.length > 50 ? 40 : keys.length;
      return {
        Responses: { rows: keys.slice(0, done) },
        UnprocessedKeys: { rows: { Keys: keys.slice(done) } },
      };
    },
  } as unknown as DynamoDBDocumentClient;
  const keys = Array.from({ length: 120 }, (_, id) => ({ id }));
  const rows = await batchRead(client, 'rows', keys);
  expect(new Set(rows.map((row) => row.id))).toEqual(new Set(keys.map(({ id }) => id)));
  expect(rows).toHaveLength(120);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([20, 20, 60, 100]);
});
