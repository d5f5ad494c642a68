/** One-time passwords from send to verification (contract, section 5), on the real table, at times of the test's own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../shared/client/client.ts';
import { addSeconds } from '../../shared/clock.ts';
import { deriveCode } from '../../shared/otp/code.ts';
import { handOverBodies } from '../../shared/otp/hand-over-body.ts';
import type { OtpSecrets } from '../../shared/otp/otp-secret.ts';
import { verifyOtp } from '../../shared/otp/verify-otp.ts';
import { aClient, ask, sendsIn, storesIn } from '../support/sends.ts';
import { createTables, type TestTables } from '../support/tables.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

function secretsOf(...secrets: string[]): OtpSecrets {
  const all = async () => secrets;
  return { all, latest: all, current: async () => secrets[0] ?? '' };
}

const secrets = secretsOf('the secret');

interface OtpBody {
  readonly otp_id: string;
  readonly message_id: string;
  readonly expires_at: string;
  readonly attempts_remaining: number;
}

async function sendOtp(client: Client, body: object = {}, at = now): Promise<OtpBody> {
  const answer = await ask(sendsIn(tables).otp, { client, now: at, body: { to, ...body } });
  expect(answer.status).toBe(202);
  return answer.body as OtpBody;
}

async function verify(client: Client, body: object, at = now, known = secrets) {
  const operation = verifyOtp({ otps: storesIn(tables).otps, secrets: known });
  return ask(operation, { client, now: at, body });
}

/** What the carrier gets. */
async function bodyOf(messageId: string, known = secrets) {
  const message = await storesIn(tables).messages.get(messageId);
  if (message === undefined) throw new Error('no such message');
  return handOverBodies(known)(message);
}

/** Another code of the same length. */
function wrong(code: string): string {
  return code.startsWith('1') ? `2${code.slice(1)}` : `1${code.slice(1)}`;
}

describe('sending', () => {
  it('makes a code of the length asked for, at hand-over and nowhere else', async () => {
    const client = aClient();
    for (const code_length of [4, 6, 10]) {
      const { message_id } = await sendOtp(client, { code_length, purpose: `p${code_length}` });
      const { text, code } = await bodyOf(message_id);
      expect(code).toMatch(new RegExp(`^\\d{${code_length}}$`));
      expect(text).toBe(`${code} is your verification code. It expires in 5 minutes.`);
      const stored = JSON.stringify(await storesIn(tables).messages.get(message_id));
      expect(stored).not.toContain(code);
    }
  });

  it('fills in the template: the code, the brand, the minutes', async () => {
    const template = '{{brand}}: {{ code }} ({{ttl_minutes}} min)';
    const { message_id } = await sendOtp(aClient(), { template, brand: 'ACME', ttl: 600 });
    const { text, code } = await bodyOf(message_id);
    expect(text).toBe(`ACME: ${code} (10 min)`);
  });

  it('says one minute, not one minutes', async () => {
    const { message_id } = await sendOtp(aClient(), { ttl: 60, brand: 'ACME' });
    const { text, code } = await bodyOf(message_id);
    expect(text).toBe(`${code} is your ACME verification code. It expires in 1 minute.`);
  });

  it.each([
    ['brand', { brand: '{{x}}' }, 'a brand that would make a placeholder which nothing fills'],
    ['brand', { brand: '{', template: '{{{brand}}x}} {{code}}' }, 'one that makes it of the template'],
    [
      'template',
      { brand: 'B'.repeat(64), template: `{{code}}${'{{brand}}'.repeat(25)}` },
      'a text that its values make too long',
    ],
  ])('refuses at %s %j: %s', async (field, fields, _what) => {
    await expect(sendOtp(aClient(), fields)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field }],
    });
  });

  it('gives a pending password again: same id, same code, same end, attempts as they are', async () => {
    const client = aClient();
    const first = await sendOtp(client);
    const { code = '' } = await bodyOf(first.message_id);
    await verify(client, { otp_id: first.otp_id, code: wrong(code) });
    const again = await sendOtp(client, { ttl: 3600, code_length: 8 }, addSeconds(now, 120));
    expect(again).toMatchObject({
      otp_id: first.otp_id,
      expires_at: first.expires_at,
      attempts_remaining: 4,
    });
    expect(again.message_id).not.toBe(first.message_id);
    expect((await bodyOf(again.message_id)).code).toBe(code);
  });

  it('gives one password to any number of sends at once', async () => {
    const client = aClient();
    const sent = await Promise.all(Array.from({ length: 5 }, () => sendOtp(client)));
    expect(new Set(sent.map(({ otp_id }) => otp_id)).size).toBe(1);
    expect(new Set(sent.map(({ message_id }) => message_id)).size).toBe(5);
  });

  it('makes a new password for another purpose, and once the one before is used, exhausted or expired', async () => {
    const client = aClient();
    const first = await sendOtp(client, { max_attempts: 1 });
    const other = await sendOtp(client, { purpose: 'other' });
    await verify(client, { otp_id: first.otp_id, code: '0000000000' });
    const second = await sendOtp(client);
    await verify(client, { otp_id: second.otp_id, code: deriveCode('the secret', second.otp_id, 6) });
    const third = await sendOtp(client);
    const fourth = await sendOtp(client, {}, addSeconds(now, 300));
    expect(new Set([first, other, second, third, fourth].map(({ otp_id }) => otp_id)).size).toBe(5);
  });
});

describe('the limit of a recipient', () => {
  it('is 5 sends in any 10 minutes, whatever the purpose, and says when there is room again', async () => {
    const client = aClient();
    for (const minute of [0, 1, 2, 3, 4]) {
      await sendOtp(client, { purpose: `p${minute}` }, addSeconds(now, minute * 60));
    }
    const sixth = ask(sendsIn(tables).otp, { client, now: addSeconds(now, 300.5), body: { to } });
    await expect(sixth).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfterSeconds: 300,
      headers: {
        'X-RateLimit-Limit': '5',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(addSeconds(now, 600).getTime() / 1000),
        'X-RateLimit-Policy': '5;w=600;comment=otp_recipient',
      },
    });
    // The first leaves the window, then the second.
    await sendOtp(client, {}, addSeconds(now, 600));
    await expect(sendOtp(client, {}, addSeconds(now, 659.999))).rejects.toThrow('At most 5');
    await sendOtp(client, {}, addSeconds(now, 660));
  });

  it('is exact for 12 sends at once', async () => {
    const client = aClient();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => sendOtp(client, { purpose: `p${index % 3}` })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'rate_limit_exceeded' });
    }
  });

  it('is another for another recipient and another client', async () => {
    const client = aClient();
    for (let sends = 0; sends < 5; sends += 1) await sendOtp(client);
    await sendOtp(client, { to: '+447700900124' });
    await sendOtp(aClient());
  });
});

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
      const answer = await verify(client, { otp_id, code: wrong(code) });
      expect(answer.body).toEqual({ otp_id, verified: false, status: 'pending', attempts_remaining });
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
    const { otp } = await storesIn(tables)
      .otps.get(otp_id)
      .then((row) => ({ otp: row }));
    expect(otp).toMatchObject({ attempts: 0, status: 'pending' });
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
    const { otp_id } = await sendOtp(client, { max_attempts: 1 });
    const { otps } = storesIn(tables);
    const attempt = { otpId: otp_id, clientId: client.client_id, requestId: 'one' };
    await otps.countAttempt(attempt, now);
    expect(await otps.countAttempt(attempt, now)).toMatchObject({ counted: true, otp: { attempts: 1 } });
    expect(await otps.countAttempt({ ...attempt, requestId: 'two' }, now)).toMatchObject({ counted: false });
    expect([await otps.markVerified(attempt), await otps.markVerified(attempt)]).toEqual([true, true]);
    expect(await otps.markVerified({ ...attempt, requestId: 'two' })).toBe(false);
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

  it('refuses a template without {{code}}, one that asks for what it cannot have, and a wrong number, all at once', async () => {
    const body = { to: '077', template: '{{brand}} {{name}}', ttl: 59, max_attempts: 11, code_length: 3 };
    const refused = (await ask(sendsIn(tables).otp, { client: aClient(), now, body }).catch(
      (error: unknown) => error,
    )) as { details: { field: string }[] };
    expect(refused).toMatchObject({ code: 'invalid_request' });
    expect(refused.details.map(({ field }) => field).toSorted()).toEqual([
      'brand',
      'code_length',
      'max_attempts',
      'template',
      'to',
      'ttl',
    ]);
  });

  it.each([
    [{}, ['code', 'otp_id']],
    [{ otp_id: 'otp_1', code: '12a4' }, ['code']],
    [{ to: '077', purpose: 'a b', code: 123456 }, ['to', 'purpose', 'code']],
    [{ to, code: '123' }, ['code']],
  ])('refuses %j with all its faulty fields', async (body, fields) => {
    const refused = verify(aClient(), body);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    const { details } = (await refused.catch((error: unknown) => error)) as { details: { field: string }[] };
    expect(details.map(({ field }) => field).toSorted()).toEqual(fields.toSorted());
  });
});
