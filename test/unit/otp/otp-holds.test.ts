/** Whether a hold was written is known where its response was lost: who wrote it enters it in the Activity Log, and alerts. */
import { expect, it } from '@jest/globals';
import { dynamoOtpHolds, type OtpHold } from '../../../shared/otp/otp-holds.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

const hold = (held_at: string): OtpHold => ({
  client_id: 'client-a',
  country: 'FR',
  state: 'held',
  held_at,
  since: '2026-11-20T09:00:00.000Z',
  sends: 200,
  verified: 2,
  threshold: 0.1,
  usual_share: 0.7,
});

it.each([false, true])(
  'is a hold of its own, and no other one; after an allowance: %s',
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
    const allowance = {
      client_id: 'client-a',
      country: 'FR',
      state: 'allowed',
      allowed_at: '2026-11-20T09:30:00.000Z',
      allowed_by: 'Ada',
      always: false,
    } as const;
    if (isAllowed) await holds.allow(allowance);
    const seen = isAllowed ? allowance : undefined;
    isLost = true;
    expect(await holds.hold(hold('2026-11-20T10:00:00.000Z'), seen)).toBe(true);
    expect(await holds.hold(hold('2026-11-20T10:00:00.001Z'), seen)).toBe(false);
    expect(rows('otp_holds')).toEqual([hold('2026-11-20T10:00:00.000Z')]);
  },
);
