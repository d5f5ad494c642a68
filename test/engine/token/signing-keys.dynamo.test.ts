import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { dynamoSigningKeyStore, publicJwk } from '../../../shared/token/signing-keys.dynamo.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['signing_keys']);
});
afterAll(() => tables.drop());

const newJwk = async () => publicJwk.parse(await exportJWK((await generateKeyPair('ES256')).publicKey));

it('a published key is found by its id, and never replaced by another', async () => {
  const keys = dynamoSigningKeyStore(tables.dynamo, tables.names.signing_keys);
  const [first, second] = await Promise.all([newJwk(), newJwk()]);
  const now = new Date('2026-11-20T10:00:00.000Z');
  await keys.publish('kid-1', first, now);
  await keys.publish('kid-1', second, now);
  expect(await keys.find('kid-1')).toEqual(first);
  expect(await keys.find('kid-2')).toBeUndefined();
});
