import { convertToNative } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { type PolicyName, policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { capsInRows, limitsOf, prepareLimits } from '../../../shared/limit/overrides.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const endpoint = policies.sms_send.endpoint;
const { endpoint: _name, ...defaults } = policies.sms_send;

async function reader(rows: readonly EditedRow[]) {
  const reads: string[] = [];
  const process = { now: noon, reads, failing: false };
  const tables = inMemoryTables({
    around: ({ operation, input }, run) => {
      if (operation !== 'Query') return run();
      reads.push(String(convertToNative(Object(input.ExpressionAttributeValues)[':client_id'])));
      if (process.failing) throw new Error('no table');
      return run();
    },
  });
  await writeRows(tables.dynamo, tables.names.limit_overrides, rows);
  const context = testContext(tables, { clock: () => process.now });
  return Object.assign(process, {
    limitsOf: (clientId: string, policy: PolicyName) => limitsOf(context, clientId, policy),
    capsOf: (clientId: string) => capsInRows(context, clientId),
    prepare: () => prepareLimits(context),
  });
}

describe('the limits in force', () => {
  const forAll = { client_id: '*', endpoint, per_minute: 5 };

  it('are those of the row for every client, for a client without a row of its own', async () => {
    const { limitsOf } = await reader([forAll, { client_id: 'own', endpoint, per_hour: 70 }]);
    expect(await limitsOf('other', 'sms_send')).toEqual({ ...defaults, perMinute: 5 });
    expect(await limitsOf('own', 'sms_send')).toEqual({ ...defaults, perHour: 70 });
    expect(await limitsOf('own', 'sms_bulk')).toMatchObject({ perMinute: policies.sms_bulk.perMinute });
  });

  it('are the defaults for a client whose own row has no valid value: it still hides the row for every client', async () => {
    const { limitsOf } = await reader([forAll, { client_id: 'own', endpoint, per_minute: 'x' }]);
    expect(await limitsOf('own', 'sms_send')).toEqual(defaults);
  });

  it('change at the instant a row expires, although it is cached', async () => {
    const expires_at = '2026-11-20T12:00:10Z';
    const process = await reader([
      forAll,
      { client_id: 'own', endpoint, per_minute: 9, blocked: true, expires_at },
    ]);
    process.now = new Date(Date.parse(expires_at) - 1);
    expect(await process.limitsOf('own', 'sms_send')).toEqual({ ...defaults, perMinute: 9, blocked: true });
    process.now = new Date(expires_at);
    expect(await process.limitsOf('own', 'sms_send')).toEqual({ ...defaults, perMinute: 5 });
    expect(process.reads).toHaveLength(2);
  });

  it.each([
    ['an own row', { mode: 'observe' }, undefined, defaults, 9],
    ['an own row beside one for every client', { mode: 'observe' }, {}, { ...defaults, perMinute: 5 }, 9],
    ['the row for every client', undefined, { mode: 'observe' }, defaults, 5],
    [
      'the row for every client, which an own row hides',
      {},
      { mode: 'observe' },
      { ...defaults, perMinute: 9 },
      undefined,
    ],
  ] as const)('are those without a row that observes: %s', async (_which, own, every, enforced, observed) => {
    const { limitsOf } = await reader([
      ...(own ? [{ client_id: 'own', endpoint, per_minute: 9, ...own }] : []),
      ...(every ? [{ ...forAll, ...every }] : []),
    ]);
    const { observed: row, ...limits } = await limitsOf('own', 'sms_send');
    expect([limits, row?.limits.per_minute]).toEqual([enforced, observed]);
  });

  it('are read once in 45 seconds, the rows for every client once for all clients', async () => {
    const process = await reader([forAll]);
    process.prepare();
    await process.limitsOf('one', 'sms_send');
    await process.limitsOf('two', 'sms_bulk');
    await process.capsOf('one');
    expect(process.reads.toSorted()).toEqual(['*', 'one', 'two']);
    process.now = addSeconds(noon, 45);
    await process.limitsOf('one', 'sms_send');
    expect(process.reads).toHaveLength(5);
  });

  it('are not known while the table cannot be read: preparing hides no failure', async () => {
    const process = await reader([]);
    process.failing = true;
    process.prepare();
    await expect(process.limitsOf('one', 'sms_send')).rejects.toThrow('no table');
  });
});

describe('the caps in force', () => {
  it('are absent without a row', async () => {
    expect(await (await reader([])).capsOf('one')).toEqual({});
  });

  it('are of the own row, else of the row for every client, each with the limits that it sets', async () => {
    const { capsOf } = await reader([
      { client_id: '*', endpoint: 'spend', per_day: 100, per_month: '1000.50' },
      { client_id: '*', endpoint: 'messages', per_day: 10 },
      { client_id: 'own', endpoint: 'messages', per_minute: 1, per_hour: 2, per_day: 3, per_month: 4 },
      { client_id: 'gone', endpoint: 'spend', per_day: 7, expires_at: '2026-11-20T12:00:00Z' },
    ]);
    const forAll = { per_day: 100_000_000, per_month: 1_000_500_000 };
    expect(await capsOf('own')).toEqual({
      messages: { per_minute: 1, per_hour: 2, per_day: 3, per_month: 4 },
      spend: forAll,
    });
    expect(await capsOf('gone')).toEqual({ messages: { per_day: 10 }, spend: forAll });
  });
});
