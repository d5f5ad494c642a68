/** A suppression that ended, and that a person sets again in the console, is not deleted as one that ended (contract 13.3). */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { aWorld, person } from '../../support/message/opt-out-world.ts';

it.each(['a', 'client_a-test'])('is kept from the next comparison on, of %s', async (client_id) => {
  const world = aWorld();
  await world.run();
  await world.change(-100, { client_id, scope: 'messages' });
  await world.change(-50, { client_id });
  const row = { client_id, recipient: person };
  expect(world.tables.rows('suppressions')).toMatchObject([{ ...row, purge_at: expect.any(Number) }]);
  await world.tables.dynamo.send(
    new UpdateCommand({
      TableName: world.tables.names.suppressions,
      Key: row,
      UpdateExpression: 'SET #scope = :scope',
      ExpressionAttributeNames: { '#scope': 'scope' },
      ExpressionAttributeValues: { ':scope': 'all' },
    }),
  );
  for (let hours = 0; hours < 3; hours += 1) world.hourLater();
  await world.run();
  expect(world.tables.rows('suppressions')).toEqual([
    expect.not.objectContaining({ purge_at: expect.anything() }),
  ]);
  expect(await world.scopeOf(client_id)).toBe('all');
});

it('that ended goes after its time', async () => {
  const world = aWorld();
  await world.change(-100, { scope: 'messages' });
  await world.change(-50, {});
  await world.run();
  expect(world.tables.rows('suppressions')).toMatchObject([{ purge_at: expect.any(Number) }]);
});
