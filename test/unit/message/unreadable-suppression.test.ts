/** A malformed suppression suppresses everything: no text of the recipient ends it, and its client can see it and end it. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const person = '+447700900001';

async function withMalformed(row: Record<string, unknown>) {
  const { suppressions, tables } = inMemoryStores(undefined, () => start);
  const Item = { client_id: 'b', recipient: person, cause: 'x', ...row };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.suppressions, Item }));
  return {
    suppressions,
    scope: async () => (await suppressions.get('b', person))?.scope,
    end: (source: 'keyword' | 'client') => {
      const key = { client_id: 'b', recipient: person };
      return suppressions.change({
        ...key,
        scope: undefined,
        source,
        at: addSeconds(start, 10),
        cause: 'end',
      });
    },
  };
}

it.each([
  { scope: 'everything', source: 'admin', changed_at: '2026-11-20T09:00:00.000Z' },
  { scope: 'all', source: 'Admin', changed_at: '2026-11-20T09:00:00.000Z' },
])('is not ended by a text of the person: $scope, $source', async (row) => {
  const world = await withMalformed(row);
  expect(await world.scope()).toBe('all');
  await world.end('keyword');
  expect(await world.scope()).toBe('all');
});

it('is one without a scope that says since when it suppresses: it is listed, and the client can end it', async () => {
  const suppressed_at = '2026-11-20T09:00:00.000Z';
  const row = { source: 'keyword', changed_at: suppressed_at, suppressed_at };
  const world = await withMalformed(row);
  expect(await world.scope()).toBe('all');
  const { suppressions } = await world.suppressions.list('b', 10, undefined);
  expect(suppressions.map(({ recipient, reason }) => [recipient, reason])).toEqual([
    [person, expect.stringContaining('(scope)')],
  ]);
  await world.end('client');
  expect(await world.scope()).toBeUndefined();
});

it('is listed where only its key is left', async () => {
  const world = await withMalformed({});
  const { suppressions } = await world.suppressions.list('b', 10, undefined);
  expect(suppressions).toHaveLength(1);
});
