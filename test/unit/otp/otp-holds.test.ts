/** A hold is written once, is not kept back by a row that a person made invalid, and overrules no administrator. */
import { describe, expect, it } from '@jest/globals';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { allowOtps } from '../../../shared/admin/otp-holds.ts';
import { createClient } from '../../../shared/client/client-admin.ts';
import { dynamoOtpHolds, type OtpHold } from '../../../shared/otp/otp-holds.dynamo.ts';
import {
  countingOtps,
  countOtps,
  dynamoOtpTrafficReader,
  type OtpRecord,
} from '../../../shared/otp/otp-traffic.dynamo.ts';
import { reviewTraffic } from '../../../shared/otp/review-traffic.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { accessTo } from '../../support/gateway/access.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const key = { client_id: 'client-a', country: 'FR' };
const held = (held_at: string, client_id = 'client-a'): OtpHold => ({
  ...{ ...key, client_id, state: 'held', held_at, since: '2026-11-20T09:00:00.000Z' },
  ...{ sends: 200, verified: 2, threshold: 0.1, usual_share: 0.7 },
});
const allowed = {
  ...key,
  state: 'allowed',
  allowed_at: '2026-11-20T09:30:00.000Z',
  allowed_by: 'Ada',
  always: false,
} as const;

it.each([false, true])(
  'a hold whose response is lost is written once, and no other one; after an allowance: %s',
  async (isAllowed) => {
    let isLost = false;
    const { dynamo, names, rows } = inMemoryTables({
      around: ({ operation }, run) => {
        // The SDK repeats a call whose response it did not get.
        if (isLost && operation === 'PutItem') run();
        return run();
      },
    });
    const holds = dynamoOtpHolds(dynamo, names.otp_holds);
    if (isAllowed) await holds.allow(allowed);
    const seen = isAllowed ? allowed : undefined;
    isLost = true;
    expect(await holds.hold(held('2026-11-20T10:00:00.000Z'), seen)).toBe(true);
    expect(await holds.hold(held('2026-11-20T10:00:00.001Z'), seen)).toBe(false);
    expect(rows('otp_holds')).toEqual([held('2026-11-20T10:00:00.000Z')]);
  },
);

it('an administrator who allows while an invalid row is replaced is not overruled', async () => {
  let allowMeanwhile = async (): Promise<unknown> => undefined;
  const { dynamo, names, rows } = inMemoryTables({
    around: async ({ operation }, run) => {
      if (operation !== 'PutItem') return run();
      const meanwhile = allowMeanwhile;
      allowMeanwhile = async () => {};
      try {
        return await run();
      } finally {
        await meanwhile();
      }
    },
  });
  const holds = dynamoOtpHolds(dynamo, names.otp_holds);
  const always = { ...allowed, always: true };
  await holds.allow({ ...always, allowed_at: '2026-11-19' });
  allowMeanwhile = () => holds.allow(always);
  expect(await holds.hold(held(now.toISOString()), undefined)).toBe(false);
  expect(rows('otp_holds')).toEqual([always]);
});

describe('an allowance for good', () => {
  async function aHeldCountry() {
    const tables = inMemoryTables();
    const { admin } = accessTo(tables, now);
    const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
    const otpHolds = dynamoOtpHolds(tables.dynamo, tables.names.otp_holds);
    await otpHolds.hold(held(now.toISOString(), client.client_id), undefined);
    let meanwhile = async (): Promise<unknown> => undefined;
    const dependencies = {
      ...admin,
      otpHolds,
      clock: () => addSeconds(now, 60),
      activityLog: { add: () => meanwhile() },
    } as unknown as AdminDependencies;
    const allow = (actor: string, always: boolean) =>
      allowOtps(dependencies, actor, { clientId: client.client_id, country: 'FR', always });
    return {
      allow,
      found: () => otpHolds.find(client.client_id, 'FR'),
      meanwhile(act: () => Promise<unknown>) {
        meanwhile = async () => {
          meanwhile = async () => undefined;
          await act();
        };
      },
    };
  }

  it('stays if another allows the hold at that moment, who is told that something has changed', async () => {
    const { allow, found, meanwhile } = await aHeldCountry();
    meanwhile(() => allow('Ada', true));
    await expect(allow('Bob', false)).rejects.toMatchObject({ code: 'concurrent_change' });
    expect(await found()).toMatchObject({ state: 'allowed', always: true, allowed_by: 'Ada' });
  });

  it('is given after another allowed the hold at that moment, and ended by who has seen it', async () => {
    const { allow, found, meanwhile } = await aHeldCountry();
    meanwhile(() => allow('Bob', false));
    await allow('Ada', true);
    expect(await found()).toMatchObject({ always: true });
    await allow('Bob', false);
    expect(await found()).toMatchObject({ always: false, allowed_by: 'Bob' });
  });
});

/** The row of an allowance; a person may have made it invalid. */
const dayBefore = { ...allowed, allowed_at: '2026-11-19T10:00:00.000Z' };

it.each([
  ['no row', undefined],
  ['an allowance of the day before', dayBefore],
  ['an allowance of a date without a time', { ...dayBefore, allowed_at: '2026-11-19', always: undefined }],
  ['an allowance whose state is in capitals', { ...dayBefore, state: 'Allowed', always: undefined }],
  ['an allowance with a text in place of false', { ...dayBefore, always: 'false' }],
])('after %s, an attack is held', async (_what, row) => {
  const { dynamo, names } = inMemoryTables();
  const holds = dynamoOtpHolds(dynamo, names.otp_holds);
  if (row !== undefined) await holds.allow(row as never);
  // Two hundred passwords of which none is verified, after a day on which all were.
  const records = Array.from(
    { length: 200 },
    (_, index): OtpRecord => ({
      sequence: String(100 + index),
      changedAt: addSeconds(now, -600),
      clientId: 'client-a',
      country: 'FR',
      createdAt: addSeconds(now, -600),
      sends: 1,
      verified: 0,
    }),
  );
  const usual = records.slice(0, 40).map((record, index) => ({
    ...record,
    sequence: String(1 + index),
    createdAt: addSeconds(now, -86_400),
    verified: 1,
  }));
  const counting = countingOtps(
    { journalTable: names.count_journal, trafficTable: names.otp_traffic },
    { dynamo, clock: () => now, sleep: async () => {} },
  );
  await countOtps(counting, 'shard', [...usual, ...records]);
  const newest = { ...records[0], sequence: '1000', changedAt: now } as OtpRecord;
  await reviewTraffic(
    {
      traffic: dynamoOtpTrafficReader(dynamo, names.otp_traffic),
      holds,
      activityLog: { add: async () => {} },
      rule: { minimumSends: 30, usualShare: 0.4, shareOfUsual: 0.5, minimumShare: 0.1, settleSeconds: 120 },
      clock: () => now,
      countMetric: () => {},
    },
    [newest],
  );
  expect(await holds.listHeld()).toHaveLength(1);
});
