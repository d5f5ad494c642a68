/** Verifying one-time passwords (contract 5.10), on the real table, at times of the test's own. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveCode, type OtpSecrets } from '../../../shared/otp/otp-code.secrets.ts';
import { countOtpAttempt, markOtpVerified, readOtp } from '../../../shared/otp/otp-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { otpsIn, secretsOf, otpRecipient as to, wrong } from '../../support/message/otps.ts';
import { aClient } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const { sendOtp, verify, bodyOf } = otpsIn(() => tables, now);

describe('verifying', () => {
  it('takes the right code once, by id or by recipient and purpose', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client, { purpose: 'login' });
    const { code } = await bodyOf(message_id);
    const right = await verify(client, { to, purpose: 'login', code });
    expect(right).toMatchObject({ status: 200, body: { otp_id, verified: true, status: 'verified' } });
    for (const by of [{ otp_id }, { to, purpose: 'login' }]) {
      await expect(verify(client, { ...by, code })).rejects.toMatchObject({
        code: 'otp_already_used',
        status: 409,
      });
    }
  });

  it('counts wrong codes down, then refuses even the right one', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client, { max_attempts: 2 });
    const { code = '' } = await bodyOf(message_id);
    for (const attempts_remaining of [1, 0]) {
      const response = await verify(client, { otp_id, code: wrong(code) });
      expect(response.body).toEqual({ otp_id, verified: false, status: 'pending', attempts_remaining });
    }
    await expect(verify(client, { otp_id, code })).rejects.toMatchObject({
      code: 'otp_attempts_exhausted',
      status: 409,
    });
  });

  it('takes the right code until the last moment, and none after', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client, { ttl: 60 });
    const { code } = await bodyOf(message_id);
    await expect(verify(client, { otp_id, code }, addSeconds(now, 60))).rejects.toMatchObject({
      code: 'otp_expired',
      status: 410,
    });
    expect((await verify(client, { otp_id, code }, addSeconds(now, 59.999))).body).toMatchObject({
      verified: true,
    });
  });

  it('knows nothing of another client’s password, nor of one that never was', async () => {
    const { otp_id, message_id } = await sendOtp(aClient());
    const { code } = await bodyOf(message_id);
    const stranger = aClient();
    const unknown = [
      { otp_id },
      { to },
      { otp_id: 'otp_01KAFF00000000000000000000' },
      { otp_id: `pending#${to}` },
    ];
    for (const by of unknown) {
      await expect(verify(stranger, { ...by, code })).rejects.toMatchObject({
        code: 'not_found',
        status: 404,
      });
    }
    expect(await readOtp(storesIn(tables).context, otp_id)).toMatchObject({ attempts: 0, status: 'pending' });
  });

  it('finds no password if the request names another recipient or purpose with its id', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client, { purpose: 'login' });
    const { code } = await bodyOf(message_id);
    const others = [
      { to: '+447700900124' },
      { purpose: 'payment' },
      { purpose: 'default' },
      { to, purpose: 'payment' },
      { to: '+447700900124', purpose: 'login' },
    ];
    for (const beside of others) {
      await expect(verify(client, { otp_id, ...beside, code })).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await readOtp(storesIn(tables).context, otp_id)).toMatchObject({ attempts: 0, status: 'pending' });
    // Another spelling of the same number; a null is left out.
    const same = { otp_id, to: '+4407700900123', purpose: 'login', code };
    expect((await verify(client, same)).body).toMatchObject({ verified: true });
    // Used already, which only the right names tell.
    const other = verify(client, { otp_id, to: '+447700900124', code });
    await expect(other).rejects.toMatchObject({ code: 'not_found' });
    await expect(verify(client, { otp_id, to: null, purpose: null, code })).rejects.toMatchObject({
      code: 'otp_already_used',
    });
  });

  it('compares exactly 3 of 12 wrong codes at once where 3 attempts are allowed', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client, { max_attempts: 3 });
    const { code = '' } = await bodyOf(message_id);
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => verify(client, { otp_id, code: wrong(code) })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'otp_attempts_exhausted' });
    }
  });

  it('verifies one of two right codes at once', async () => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client);
    const { code } = await bodyOf(message_id);
    const results = await Promise.allSettled([1, 2, 3].map(() => verify(client, { otp_id, code })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'otp_already_used' });
    }
  });

  it('counts an attempt once, and verifies, where the SDK repeats a write whose answer was lost', async () => {
    const client = aClient();
    const { otp_id } = await sendOtp(client, { max_attempts: 2 });
    const { context } = storesIn(tables);
    const attempt = { otpId: otp_id, clientId: client.client_id, workId: 'one' };
    const countedBy = (workId: string) => countOtpAttempt(context, { ...attempt, workId }, now);
    for (const _ of [1, 2])
      expect(await countedBy('one')).toMatchObject({ counted: true, otp: { attempts: 1 } });
    for (const _ of [1, 2])
      expect(await countedBy('two')).toMatchObject({ counted: true, otp: { attempts: 2 } });
    expect(await countedBy('three')).toMatchObject({ counted: false });
    expect([await markOtpVerified(context, attempt), await markOtpVerified(context, attempt)]).toEqual([
      true,
      true,
    ]);
    expect(await markOtpVerified(context, { ...attempt, workId: 'two' })).toBe(false);
  });

  it('takes a code made before the secret was rotated, and one made under a secret it has not seen', async () => {
    const client = aClient();
    const { otp_id } = await sendOtp(client);
    const rotated = secretsOf('the next secret', 'the secret');
    const code = deriveCode('the secret', otp_id, 6);
    expect((await verify(client, { otp_id, code }, now, rotated)).body).toMatchObject({ verified: true });

    const second = await sendOtp(client);
    const stale: OtpSecrets = { ...secretsOf('the secret'), latest: rotated.all };
    const next = deriveCode('the next secret', second.otp_id, 6);
    expect((await verify(client, { otp_id: second.otp_id, code: next }, now, stale)).body).toMatchObject({
      verified: true,
    });
  });

  it.each([
    ['spaces and a line break', (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)}\n`],
    ['a hyphen', (code: string) => `${code.slice(0, 3)}\u2011${code.slice(3)}.`],
    [
      'full-width digits',
      (code: string) => code.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
    ],
  ])('takes the right code with %s', async (_, typed) => {
    const client = aClient();
    const { otp_id, message_id } = await sendOtp(client);
    const { code } = await bodyOf(message_id);
    expect((await verify(client, { otp_id, code: typed(String(code)) })).body).toMatchObject({
      verified: true,
    });
  });

  it.each([
    [{}, ['code', 'otp_id']],
    [{ otp_id: 'otp_1', code: '12a4' }, ['code']],
    [{ to: '077', purpose: 'a b', code: 123456 }, ['to', 'purpose', 'code']],
    [{ to, code: '123' }, ['code']],
    [{ to, code: '123é456' }, ['code']],
  ])('refuses %j with all its faulty fields', async (body, fields) => {
    const refused = verify(aClient(), body);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    const { details } = (await refused.catch((error: unknown) => error)) as { details: { field: string }[] };
    expect(details.map(({ field }) => field).toSorted()).toEqual(fields.toSorted());
  });
});
