/** What one-time passwords ask of their store holds on the engine, and on the database in memory that the fault runs use. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import {
  countOtpAttempt,
  countOtpSend,
  countOtpSms,
  latestOtp,
  type OtpSend,
  otpSendsTo,
  readOtp,
  storeOtpSend,
} from '../../../shared/otp/otp-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { createTables } from '../../support/engine/tables.ts';
import { type TestContext, testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

function fresh(): OneTimePassword {
  const otp_id = newId('otp', now);
  return {
    otp_id,
    client_id: `client-${otp_id}`,
    recipient: '+447700900123',
    country: 'GB',
    message_id: newId('msg', now),
    channel: 'sms',
    sms_sends: 1,
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

/** The first send of a password, and what it reads before. */
function sendOf(otp: OneTimePassword): { readonly message: Message; readonly send: OtpSend } {
  const { client_id: clientId, recipient, purpose } = otp;
  const message = aMessage({ message_id: newId('msg', now), client_id: clientId });
  const key = { clientId, recipient, purpose };
  return { message, send: { key, otp, replaces: { latest: undefined } } };
}

describe.each<[string, () => TestContext]>([
  ['in memory', () => testContext()],
  ['in the tables', () => testContext(tables)],
])('one-time passwords %s', (_where, newContext) => {
  async function storedIn(context: TestContext, otp: OneTimePassword): Promise<void> {
    const { message, send } = sendOf(otp);
    expect(await storeOtpSend(context, message, send, now)).toEqual({ created: true });
  }

  it('are stored with their message, as the latest, and counted for the recipient', async () => {
    const context = newContext();
    const { message, send } = sendOf(fresh());
    expect(await latestOtp(context, send.key)).toBeUndefined();
    expect(await storeOtpSend(context, message, send, now)).toEqual({ created: true });
    expect(await readOtp(context, send.otp.otp_id)).toEqual(send.otp);
    expect(await latestOtp(context, send.key)).toBe(send.otp.otp_id);
    expect(await otpSendsTo(context, send.key, now)).toEqual([message.message_id]);
    expect(await readMessage(context, message.message_id)).toMatchObject(message);
    expect(await readOtp(context, newId('otp', now))).toBeUndefined();
  });

  it('are not stored where the message was, nor where the latest is no longer as it was read', async () => {
    const context = newContext();
    const otp = fresh();
    const { message, send } = sendOf(otp);
    await storeOtpSend(context, message, send, now);
    const before = [await latestOtp(context, send.key), await otpSendsTo(context, send.key, now)];
    const other = { ...fresh(), client_id: otp.client_id };
    const later = { ...sendOf(other), send: { ...send, otp: other } };
    const ofOther = aMessage({ message_id: message.message_id, recipient: '+447700900124' });
    const elsewhere = { ...send.key, recipient: '+447700900124' };
    expect(await storeOtpSend(context, ofOther, { ...later.send, key: elsewhere }, now)).toMatchObject({
      created: false,
      existing: message,
    });
    expect(await storeOtpSend(context, later.message, later.send, now)).toBe('changed');
    expect(await readOtp(context, other.otp_id)).toBeUndefined();
    expect(await latestOtp(context, elsewhere)).toBeUndefined();
    expect(await otpSendsTo(context, elsewhere, now)).toEqual([]);
    expect(await readMessage(context, later.message.message_id)).toBeUndefined();
    expect([await latestOtp(context, send.key), await otpSendsTo(context, send.key, now)]).toEqual(before);
    const follows = { ...later.send, replaces: { latest: otp.otp_id } };
    expect(await storeOtpSend(context, later.message, follows, now)).toEqual({ created: true });
    expect(await latestOtp(context, send.key)).toBe(other.otp_id);
  });

  it('count the SMS that were sent with them', async () => {
    const context = newContext();
    const [sms, whatsApp] = [
      { ...fresh(), sms_sends: 1 },
      { ...fresh(), sms_sends: 0 },
    ];
    for (const otp of [sms, whatsApp]) {
      await storedIn(context, otp);
      await countOtpSms(context, otp, 'msg_leg');
      // The SDK repeats a write whose response was lost.
      await countOtpSms(context, otp, 'msg_leg');
    }
    const counts = await Promise.all([sms, whatsApp].map(({ otp_id }) => readOtp(context, otp_id)));
    expect(counts.map((otp) => otp?.sms_sends)).toEqual([2, 1]);
    await countOtpSms(context, sms, 'msg_third_leg');
    expect((await readOtp(context, sms.otp_id))?.sms_sends).toBe(3);
    await countOtpSms(context, fresh(), 'msg_leg');
  });

  it('are counted for a recipient, five in a window and the same message once', async () => {
    const context = newContext();
    const { client_id: clientId, recipient } = fresh();
    const count = (id: string, seconds = 0) =>
      countOtpSend(context, { clientId, recipient }, id, addSeconds(now, seconds));
    const ids = ['msg_1', 'msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5', 'msg_6', 'msg_7'];
    const counted = await Promise.all(ids.map((id) => count(id)));
    const sent = await otpSendsTo(context, { clientId, recipient }, addSeconds(now, 599));
    expect(sent).toHaveLength(5);
    expect(ids.filter((_, index) => counted[index])).toEqual(ids.filter((id) => sent.includes(id)));
    expect(await count('msg_9', 599)).toBe(false);
    expect(await count('msg_9', 600)).toBe(true);
  });

  it('count the same request once, others until no attempt is left, and none of another client or after expiry', async () => {
    const context = newContext();
    const otp = fresh();
    await storedIn(context, otp);
    const count = async (workId: string, at = now) =>
      (await countOtpAttempt(context, attemptOf(otp, workId), at)).counted;
    expect(
      await countOtpAttempt(context, { ...attemptOf(otp, 'r0'), clientId: 'another' }, now),
    ).toMatchObject({
      counted: false,
    });
    for (const other of [{ recipient: '+447700900999' }, { purpose: 'other' }]) {
      const attempt = { ...attemptOf(otp, 'r0'), ...other };
      expect(await countOtpAttempt(context, attempt, now)).toEqual({ counted: false, otp: undefined });
    }
    expect(await count('r1', addSeconds(now, 300))).toBe(false);
    expect(await count('r1')).toBe(true);
    expect(await count('r1')).toBe(true);
    expect((await readOtp(context, otp.otp_id))?.attempts).toBe(1);
    expect(await count('r2')).toBe(true);
    expect(await count('r3')).toBe(false);
    // The response to the first may have been lost, and the SDK repeats it after the second.
    expect(await count('r1')).toBe(true);
    expect((await readOtp(context, otp.otp_id))?.attempts).toBe(2);
  });
});
