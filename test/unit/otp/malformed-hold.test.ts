/** A row of otp-holds that a person made invalid does not keep the gateway from holding what looks like fraud. */
import { expect, it } from '@jest/globals';
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

const now = new Date('2026-11-20T10:00:00.000Z');

/** Two hundred passwords of an attack, of which none is verified, after a day on which all were. */
async function attacked(row?: object): Promise<readonly OtpHold[]> {
  const { dynamo, names } = inMemoryTables();
  const holds = dynamoOtpHolds(dynamo, names.otp_holds);
  if (row !== undefined) await holds.allow({ client_id: 'client-a', country: 'FR', ...row } as never);
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
  const counting = countingOtps(
    { journalTable: names.count_journal, trafficTable: names.otp_traffic },
    { dynamo, clock: () => now, sleep: async () => {} },
  );
  const dayBefore = addSeconds(now, -86_400);
  const usual = records.slice(0, 40).map((record, index) => ({
    ...record,
    sequence: String(1 + index),
    createdAt: dayBefore,
    verified: 1,
  }));
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
  return holds.listHeld();
}

it('without a row, or after an allowance of the day before, an attack is held', async () => {
  expect(await attacked()).toHaveLength(1);
  const allowed = {
    state: 'allowed',
    allowed_at: '2026-11-19T10:00:00.000Z',
    allowed_by: 'Ada',
    always: false,
  };
  expect(await attacked(allowed)).toHaveLength(1);
});

it.each([
  ['a date without a time', { state: 'allowed', allowed_at: '2026-11-19', allowed_by: 'Ada' }],
  ['a state in capitals', { state: 'Allowed', allowed_at: '2026-11-19T10:00:00.000Z', allowed_by: 'Ada' }],
  [
    'a text in place of false',
    { state: 'allowed', allowed_at: '2026-11-19T10:00:00.000Z', allowed_by: 'Ada', always: 'false' },
  ],
])('after an allowance that a person made invalid by %s, an attack is held', async (_what, row) => {
  expect(await attacked(row)).toHaveLength(1);
});

it('an administrator who allows meanwhile is not overruled', async () => {
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
  const key = { client_id: 'client-a', country: 'FR' };
  const allowance = { ...key, state: 'allowed', allowed_by: 'Ada', always: true } as const;
  await holds.allow({ ...allowance, allowed_at: '2026-11-19' });
  const allowed = { ...allowance, allowed_at: '2026-11-20T09:30:00.000Z' };
  allowMeanwhile = () => holds.allow(allowed);
  const judged = { since: now.toISOString(), sends: 200, verified: 2, threshold: 0.1, usual_share: 0.7 };
  const hold = { ...key, state: 'held', held_at: now.toISOString(), ...judged } as const;
  expect(await holds.hold(hold, undefined)).toBe(false);
  expect(rows('otp_holds')).toEqual([allowed]);
});
