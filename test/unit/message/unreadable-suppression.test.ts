/** A suppression that a person made invalid says nothing about its person: it changes no carrier's list, and no text ends it (contract 13.4). */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { aWorld, person } from '../../support/message/opt-out-world.ts';

async function withMalformed(row: Record<string, unknown>) {
  const world = aWorld();
  world.wrote(person, 'a', 'b');
  const Item = { client_id: 'b', recipient: person, cause: 'x', ...row };
  await world.tables.dynamo.send(new PutCommand({ TableName: world.tables.names.suppressions, Item }));
  return { ...world, Item };
}

it('does not put the number on the list of the carrier, where the person has opted in to its client', async () => {
  // START of b; a person in the console broke its time.
  const world = await withMalformed({ source: 'keyword', changed_at: '2026-11-20' });
  await world.change(-100, { client_id: 'a', scope: 'all', source: 'admin' });
  await world.run();
  const isListed = world.listed.has(person);
  // The row is corrected; the person is still opted in to b.
  const corrected = { ...world.Item, changed_at: '2026-11-20T09:00:00.000Z' };
  await world.tables.dynamo.send(
    new PutCommand({ TableName: world.tables.names.suppressions, Item: corrected }),
  );
  world.hourLater();
  await world.run();
  expect([isListed, await world.scopeOf('b')]).toEqual([false, undefined]);
});

it.each([
  { scope: 'everything', source: 'admin', changed_at: '2026-11-20T09:00:00.000Z' },
  { scope: 'all', source: 'Admin', changed_at: '2026-11-20T09:00:00.000Z' },
])('is not ended by a text of the person: $scope, $source', async (row) => {
  const world = await withMalformed(row);
  expect(await world.scopeOf('b')).toBe('all');
  await world.change(10, { client_id: 'b', source: 'keyword' });
  expect(await world.scopeOf('b')).toBe('all');
});

it('is one without a scope that says since when it suppresses: it is listed, and the client can end it', async () => {
  const suppressed_at = '2026-11-20T09:00:00.000Z';
  const row = { source: 'keyword', changed_at: suppressed_at, suppressed_at };
  const world = await withMalformed(row);
  expect(await world.scopeOf('b')).toBe('all');
  const { suppressions } = await world.suppressions.list('b', 10, undefined);
  expect(suppressions.map(({ recipient, reason }) => [recipient, reason])).toEqual([
    [person, expect.stringContaining('(scope)')],
  ]);
  await world.change(10, { client_id: 'b', source: 'client' });
  expect(await world.scopeOf('b')).toBeUndefined();
});

it('is listed where only its key is left', async () => {
  const world = await withMalformed({});
  const { suppressions } = await world.suppressions.list('b', 10, undefined);
  expect(suppressions).toHaveLength(1);
});
