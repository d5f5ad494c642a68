import { ConditionalCheckFailedException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { attempted, whereItFits } from '../shared/conditional.dynamo.ts';

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
  it('that was made has its answer', async () => {
    expect(await whereItFits(Promise.resolve('written'))).toBe(true);
    expect(await attempted(Promise.resolve('written'))).toEqual({ made: true, answer: 'written' });
  });

  it('that was refused is no fault, and shows the row that stood against it', async () => {
    expect(await whereItFits(refused())).toBe(false);
    expect(await attempted(refused())).toEqual({ made: false, row: undefined });
    expect(await attempted(refused({ id: { S: 'a' }, count: { N: '3' } }))).toEqual({
      made: false,
      row: { id: 'a', count: 3 },
    });
  });

  it('that failed for any other reason throws it', async () => {
    await expect(whereItFits(broken())).rejects.toThrow(ResourceNotFoundException);
    await expect(attempted(broken())).rejects.toThrow(ResourceNotFoundException);
  });
});
