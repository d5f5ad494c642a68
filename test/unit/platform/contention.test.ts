/** DynamoDB refuses writes beside transactions, and more. Local engines never do, so a double of its endpoint does here. */
import { Readable } from 'node:stream';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { asGatewayError } from '../../../shared/http/response.ts';
import { documentClient, dynamoClient } from '../../../shared/platform/aws/clients.ts';
import { conditionalUpdate } from '../../../shared/platform/aws/conditional-write.dynamo.ts';
import { retryRemaining } from '../../../shared/platform/retry.ts';
import { storeEndpoint } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

type Fault = { readonly __type: string } & Readonly<Record<string, unknown>>;
const fault = (name: string, more: object = {}): Fault => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: name,
  ...more,
});
const conflict = fault('TransactionConflictException');
const canceled = fault('TransactionCanceledException', {
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
});

/** A client whose calls end with these faults, one after the other, or succeed, as do all further ones. */
function clientWith(faults: readonly (Fault | undefined)[], maxAttempts = 3) {
  const calls: string[] = [];
  const waiting = [...faults];
  const requestHandler = {
    async handle({ headers }: { headers: Record<string, string> }) {
      calls.push(headers['x-amz-target']?.split('.').at(-1) ?? '');
      const next = waiting.shift();
      const body = Readable.from([Buffer.from(JSON.stringify(next ?? {}))]);
      const response = { statusCode: next === undefined ? 200 : 400, headers: {}, body };
      return { response: Object.assign(response, { reason: '' }) };
    },
  };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = dynamoClient({
    region: 'eu-west-1',
    credentials,
    maxAttempts,
    requestHandler: requestHandler as never,
  });
  return { client: documentClient(client), calls };
}

const update = { TableName: 'messages', Key: { message_id: 'm' }, UpdateExpression: 'REMOVE x' };

describe('a write during a transaction on the same row', () => {
  it.each([
    'TransactionConflictException',
    'TransactionInProgressException',
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'RequestLimitExceeded',
    'ReplicatedWriteConflictException',
  ])('is repeated after %s', async (name) => {
    const { client, calls } = clientWith([fault(name)]);
    expect(await conditionalUpdate(client, update)).toMatchObject({ applied: true });
    expect(calls).toEqual(['UpdateItem', 'UpdateItem']);
  });

  it('is not repeated after a failed condition, which is a result', async () => {
    const { client, calls } = clientWith([fault('ConditionalCheckFailedException')]);
    expect(await conditionalUpdate(client, update)).toMatchObject({ applied: false });
    expect(calls).toEqual(['UpdateItem']);
  });

  it('makes an endpoint, however often the row of its secrets or its transaction conflicts', async () => {
    const { client, calls } = clientWith([...Array(4).fill(conflict), undefined, canceled, canceled]);
    const context = testContext(inMemoryTables(), { db: client });
    const secret = { secret: 'whsec_YQ==', created_at: '2026-11-20T10:00:00.000Z' };
    expect(await storeEndpoint(context, anEndpoint({}), secret)).toBe(true);
    expect(calls.filter((name) => name === 'UpdateItem')).toHaveLength(5);
    expect(calls.filter((name) => name === 'TransactWriteItems')).toHaveLength(3);
  });
});

describe('contention that outlasts all retries', () => {
  async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return asGatewayError(error).status;
  }

  it.each([
    conflict,
    canceled,
    fault('TransactionInProgressException'),
    fault('ReplicatedWriteConflictException'),
  ])('is a 503: $message', async (error) => {
    const { client } = clientWith([error], 1);
    expect(await statusOf(client.send(new UpdateCommand(update)))).toBe(503);
  });

  it('is a 503 where items of a batch were left over', async () => {
    expect(await statusOf(retryRemaining(['row'], async (left) => left))).toBe(503);
  });
});
