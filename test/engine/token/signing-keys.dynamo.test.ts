import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { publicJwk, publishedKeys, publishKey } from '../../../shared/token/verify-token.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['signing_keys']);
});
afterAll(() => tables.drop());

const newJwk = async () => publicJwk.parse(await exportJWK((await generateKeyPair('ES256')).publicKey));

it('a published key is found by its id, and never replaced by another', async () => {
  const [first, second] = await Promise.all([newJwk(), newJwk()]);
  const now = new Date('2026-11-20T10:00:00.000Z');
  const later = testContext(tables, { clock: () => addSeconds(now, 5) });
  expect(await publishKey(testContext(tables, { clock: () => now }), 'kid-1', first)).toEqual(now);
  expect(await publishKey(later, 'kid-1', second)).toEqual(now);
  expect((await publishedKeys(later)).get('kid-1')).toEqual(first);
});

it('a malformed row is reported, and the keys of the others are read', async () => {
  const context = testContext(tables);
  const jwk = await newJwk();
  await publishKey(context, 'kid-3', jwk);
  for (const [kid, public_jwk] of [
    ['no-json', '{'],
    ['no-key', '{}'],
    ['no-text', 5],
  ])
    await tables.dynamo.send(
      new PutCommand({ TableName: tables.names.signing_keys, Item: { kid, public_jwk } }),
    );
  const all = await publishedKeys(context);
  expect(all.get('kid-3')).toEqual(jwk);
  for (const kid of ['no-json', 'no-key', 'no-text'])
    expect([all.has(kid), all.get(kid)]).toEqual([true, undefined]);
});
