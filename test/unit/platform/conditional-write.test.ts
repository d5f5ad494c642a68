import { ConditionalCheckFailedException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  conditionHolds,
  tryConditionalWrite,
} from '../../../shared/platform/aws/conditional-write.dynamo.ts';

function refused(item?: Record<string, { S: string } | { N: string }>): Promise<never> {
  return Promise.reject(
    new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...(item === undefined ? {} : { Item: item as never }),
    }),
  );
}

const broken = (): Promise<never> =>
  Promise.reject(new ResourceNotFoundException({ message: 'no table', $metadata: {} }));

describe('a write on a condition', () => {
  it('that was made has its response', async () => {
    expect(await conditionHolds(Promise.resolve('written'))).toBe(true);
    expect(await tryConditionalWrite(Promise.resolve('written'))).toEqual({
      applied: true,
      response: 'written',
    });
  });

  it('that was refused is no fault, and shows the row that stood against it', async () => {
    expect(await conditionHolds(refused())).toBe(false);
    expect(await tryConditionalWrite(refused())).toEqual({ applied: false, row: undefined });
    expect(await tryConditionalWrite(refused({ id: { S: 'a' }, count: { N: '3' } }))).toEqual({
      applied: false,
      row: { id: 'a', count: 3 },
    });
  });

  it('that failed for any other reason throws it', async () => {
    await expect(conditionHolds(broken())).rejects.toThrow(ResourceNotFoundException);
    await expect(tryConditionalWrite(broken())).rejects.toThrow(ResourceNotFoundException);
  });
});
