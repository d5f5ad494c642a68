import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { isGranted } from '../../support/simulation/aws/grants.ts';
import { deliberateFaults } from '../../support/simulation/deliberate-fault.ts';
import { changedText } from '../../support/simulation/lambda/source-change.ts';

const root = join(import.meta.dirname, '../../..');

it('has deliberate faults that fit the code: a change of the code must update them', async () => {
  const misfits = Object.entries(await deliberateFaults()).flatMap(([name, { changes }]) =>
    changes.flatMap((change) => {
      const path = join(root, change.file);
      if (!existsSync(path)) return [`${name}: there is no ${change.file}`];
      try {
        changedText(readFileSync(path, 'utf8'), change);
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    }),
  );
  expect(misfits).toEqual([]);
});

it('names a promise that each deliberate fault breaks', async () => {
  const contract = readFileSync(join(root, 'docs/contract.md'), 'utf8');
  const unknown = Object.entries(await deliberateFaults()).filter(([, { promise }]) =>
    /^\d/.test(promise)
      ? !contract.includes(`**${promise}**`)
      : !existsSync(join(root, 'docs', `${promise}.md`)),
  );
  expect(unknown.map(([name, { promise }]) => `${name}: ${promise}`)).toEqual([]);
});

const Messages = { TableName: 'Messages' };

it.each<[string, object, boolean]>([
  ['PutItem', { TableName: 'Suppressions' }, true],
  ['Scan', { TableName: 'Suppressions' }, false],
  ['GetItem', { TableName: 'ApiKeys' }, false],
  ['Query', { ...Messages, IndexName: 'by-recipient' }, true],
  ['Query', { ...Messages, IndexName: 'by-reference' }, false],
  ['TransactWriteItems', { TransactItems: [{ Put: Messages }] }, true],
  ['TransactWriteItems', { TransactItems: [{ Put: Messages }, { Delete: Messages }] }, false],
  ['BatchGetItem', { RequestItems: { Clients: {} } }, true],
  ['BatchGetItem', { RequestItems: { Clients: {}, Senders: {} } }, false],
])('permits a function only what its role does: %s of %j: %s', (operation, input, expected) => {
  const call = { service: 'dynamodb', operation, input: { ...input } } as const;
  expect(isGranted(call, 'record-receipt')).toBe(expected);
});

it('a null comes back as a null, not as an empty map', async () => {
  const { dynamo, names } = inMemoryTables();
  const key = { client_id: 'client-a', country: 'FR' };
  await dynamo.send(new PutCommand({ TableName: names.otp_holds, Item: { ...key, since: null } }));
  const { Item } = await dynamo.send(new GetCommand({ TableName: names.otp_holds, Key: key }));
  expect(Item).toEqual({ ...key, since: null });
});
