/** What one-time passwords ask of their store holds of the table, and of the one in memory that the fault runs use. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import { dynamoOtpStore } from '../../../shared/otp/otp-store.dynamo.ts';
import type { OtpStore } from '../../../shared/otp/otp-store.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { memoryOtpStore } from '../../support/doubles/memory-otp-store.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['one_time_passwords']);
});
afterAll(() => tables.drop());

function fresh(): OneTimePassword {
  const otp_id = newId('otp', now);
  return {
    otp_id,
    client_id: `client-${otp_id}`,
    recipient: '+447700900123',
    channel: 'sms',
    purpose: 'default',
    code_length: 6,
    max_attempts: 2,
    attempts: 0,
    status: 'pending',
    created_at: now.toISOString(),
    expires_at: addSeconds(now, 300).toISOString(),
  };
}

const attemptOf = (otp: OneTimePassword, workId: string) => ({
  otpId: otp.otp_id,
  clientId: otp.client_id,
  workId,
});

describe.each<[string, () => OtpStore]>([
  ['in memory', memoryOtpStore],
  ['in the table', () => dynamoOtpStore(tables.dynamo, tables.names.one_time_passwords)],
])('one-time passwords %s', (_where, newStore) => {
  it('keep the first row of an id', async () => {
    const store = newStore();
    const otp = fresh();
    await store.create(otp);
    await store.create({ ...otp, code_length: 8 });
    expect(await store.get(otp.otp_id)).toEqual(otp);
    expect(await store.get(newId('otp', now))).toBeUndefined();
  });

  it('let one of many name the latest password, and one replace it', async () => {
    const store = newStore();
    const { client_id: clientId, recipient, purpose } = fresh();
    const key = { clientId, recipient, purpose };
    expect(await store.latest(key)).toBeUndefined();
    const first = await Promise.all(['a', 'b', 'c'].map((id) => store.setLatest(key, undefined, id, now)));
    expect(first.filter(Boolean)).toHaveLength(1);
    const seen = await store.latest(key);
    expect(await store.setLatest(key, 'another', 'd', now)).toBe(false);
    expect(await store.setLatest(key, seen, 'd', now)).toBe(true);
    expect(await store.latest(key)).toBe('d');
  });

  it('replace the sends to a recipient only while they are the ones that were read', async () => {
    const store = newStore();
    const { client_id: clientId, recipient } = fresh();
    const seen = await store.recipientSends({ clientId, recipient });
    expect(seen).toEqual({ sends: [], revision: 0 });
    const sends = [{ message_id: 'msg_1', at: now.toISOString() }];
    const replaced = await Promise.all(
      [1, 2, 3].map(() => store.replaceRecipientSends({ clientId, recipient }, seen, sends, now)),
    );
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect(await store.recipientSends({ clientId, recipient })).toEqual({ sends, revision: 1 });
  });

  it('count the same request once, others until no attempt is left, and none of another client or after expiry', async () => {
    const store = newStore();
    const otp = fresh();
    await store.create(otp);
    const count = async (workId: string, at = now) =>
      (await store.countAttempt(attemptOf(otp, workId), at)).counted;
    expect(await store.countAttempt({ ...attemptOf(otp, 'r0'), clientId: 'another' }, now)).toMatchObject({
      counted: false,
    });
    expect(await count('r1', addSeconds(now, 300))).toBe(false);
    expect(await count('r1')).toBe(true);
    expect(await count('r1')).toBe(true);
    expect((await store.get(otp.otp_id))?.attempts).toBe(1);
    expect(await count('r2')).toBe(true);
    expect(await count('r3')).toBe(false);
    expect((await store.get(otp.otp_id))?.attempts).toBe(2);
  });

  it('let one of many right codes verify, and know it when it is repeated', async () => {
    const store = newStore();
    const otp = fresh();
    await store.create(otp);
    const verified = await Promise.all(
      ['r1', 'r2', 'r3'].map((id) => store.markVerified(attemptOf(otp, id))),
    );
    expect(verified.filter(Boolean)).toHaveLength(1);
    const winner = `r${verified.indexOf(true) + 1}`;
    expect(await store.markVerified(attemptOf(otp, winner))).toBe(true);
    expect((await store.get(otp.otp_id))?.status).toBe('verified');
  });
});
