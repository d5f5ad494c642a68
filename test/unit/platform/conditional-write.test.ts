import { ConditionalCheckFailedException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  conditionalDelete,
  conditionalPut,
  conditionalUpdate,
  conditionalUpdateItem,
} from '../../../shared/platform/aws/conditional-write.dynamo.ts';

/** A client whose every call ends so. */
function clientThat(send: () => Promise<unknown>): DynamoDBDocumentClient {
  return { send } as unknown as DynamoDBDocumentClient;
}

function refusing(item?: Record<string, { S: string } | { N: string }>): DynamoDBDocumentClient {
  return clientThat(() =>
    Promise.reject(
      new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(item === undefined ? {} : { Item: item as never }),
      }),
    ),
  );
}

const broken = clientThat(() =>
  Promise.reject(new ResourceNotFoundException({ message: 'no table', $metadata: {} })),
);

describe.each([
  ['put', (client: DynamoDBDocumentClient) => conditionalPut(client, { TableName: 'rows', Item: {} })],
  ['update', (client: DynamoDBDocumentClient) => conditionalUpdate(client, { TableName: 'rows', Key: {} })],
  [
    'update item',
    (client: DynamoDBDocumentClient) => conditionalUpdateItem(client, { TableName: 'rows', Key: {} }),
  ],
  ['delete', (client: DynamoDBDocumentClient) => conditionalDelete(client, { TableName: 'rows', Key: {} })],
])('a write on a condition: %s', (_, write) => {
  it('that was made has its response', async () => {
    expect(await write(clientThat(() => Promise.resolve('written')))).toEqual({
      applied: true,
      response: 'written',
    });
  });

  it('that was refused is no fault, and shows the row that stood against it', async () => {
    expect(await write(refusing())).toEqual({ applied: false, row: undefined });
    expect(await write(refusing({ id: { S: 'a' }, count: { N: '3' } }))).toEqual({
      applied: false,
      row: { id: 'a', count: 3 },
    });
  });

  it('that failed for any other reason throws it', async () => {
    await expect(write(broken)).rejects.toThrow(ResourceNotFoundException);
  });
});
