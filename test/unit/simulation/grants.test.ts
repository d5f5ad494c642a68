/** The simulation refuses calls that the role of a function does not permit, because the deploy would. */
import { expect, it } from '@jest/globals';
import { isGranted } from '../../support/simulation/aws/grants.ts';

const isPermitted = (functionName: string, operation: string, input: object): boolean =>
  isGranted({ service: 'dynamodb', operation, input: { ...input } }, functionName);

it('as the function declares it for each table', () => {
  expect(isPermitted('record-receipt', 'GetItem', { TableName: 'Suppressions' })).toBe(true);
  expect(isPermitted('record-receipt', 'Scan', { TableName: 'Suppressions' })).toBe(false);
  expect(isPermitted('record-receipt', 'GetItem', { TableName: 'ApiKeys' })).toBe(false);
});

it('for each index', () => {
  const of = (IndexName: string) => ({ TableName: 'Messages', IndexName });
  expect(isPermitted('record-receipt', 'Query', of('by-recipient'))).toBe(true);
  expect(isPermitted('record-receipt', 'Query', of('by-reference'))).toBe(false);
});

it('for each part of a transaction and each table of a batch', () => {
  const TransactItems = [{ Put: { TableName: 'Messages' } }, { Delete: { TableName: 'Messages' } }];
  expect(
    isPermitted('record-receipt', 'TransactWriteItems', { TransactItems: TransactItems.slice(0, 1) }),
  ).toBe(true);
  expect(isPermitted('record-receipt', 'TransactWriteItems', { TransactItems })).toBe(false);
  const RequestItems = { Clients: {}, Senders: {} };
  expect(isPermitted('record-receipt', 'BatchGetItem', { RequestItems: { Clients: {} } })).toBe(true);
  expect(isPermitted('record-receipt', 'BatchGetItem', { RequestItems })).toBe(false);
});
