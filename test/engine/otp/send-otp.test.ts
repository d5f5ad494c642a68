/** Sending one-time passwords (contract 5.8), on the real table, at times of the test's own. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { deriveCode } from '../../../shared/otp/otp-code.secrets.ts';
import { readOtp } from '../../../shared/otp/otp-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { otpsIn, otpRecipient as to, wrong } from '../../support/message/otps.ts';
import { aClient, ask, sendsIn } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const { sendOtp, verify, bodyOf } = otpsIn(() => tables, now);

describe('sending', () => {
  it('makes a code of the length asked for, at hand-over and nowhere else', async () => {
    const client = aClient();
    for (const code_length of [4, 6, 10]) {
      const { message_id } = await sendOtp(client, { code_length, purpose: `p${code_length}` });
      const { text, code } = await bodyOf(message_id);
      expect(code).toMatch(new RegExp(`^\\d{${code_length}}$`));
      expect(text).toBe(`${code} is your verification code. It expires in 5 minutes.`);
      const row = JSON.stringify(await readMessage(testContext(tables), message_id));
      // Ids, times and the number have digits of their own.
      const stored = row.replaceAll(/"(\w+_\w{26}|client-\d+|[-\d]+T[:.\d]+Z|\+\d+)"/g, '""');
      expect(stored).toContain('{{code}}');
      expect(stored).not.toContain(code);
    }
  });

  it('fills in the template: the code, the brand, the minutes', async () => {
    const template = '{{brand}}: {{ code }} ({{ttl_minutes}} min)';
    const { message_id } = await sendOtp(aClient(), { template, brand: 'ACME', ttl: 600 });
    const { text, code } = await bodyOf(message_id);
    expect(text).toBe(`ACME: ${code} (10 min)`);
  });

  it('replaces typographic characters of template and brand, if that is asked for', async () => {
    const texts = { template: '{{brand}} – {{code}}…', brand: '“ACME”' };
    const { message_id } = await sendOtp(aClient(), { ...texts, smart_encoding: true });
    const { text, code } = await bodyOf(message_id);
    expect(text).toBe(`"ACME" - ${code}...`);
    const asGiven = await sendOtp(aClient(), { ...texts, purpose: 'other' });
    expect((await bodyOf(asGiven.message_id)).text).toMatch(/^“ACME” – \d{6}…$/);
  });

  it('says one minute, not one minutes', async () => {
    const { message_id } = await sendOtp(aClient(), { ttl: 60, brand: 'ACME' });
    const { text, code } = await bodyOf(message_id);
    expect(text).toBe(`${code} is your ACME verification code. It expires in 1 minute.`);
  });

  it.each([
    [119, '1 minute'],
    [120, '2 minutes'],
    [150, '2 minutes'],
    [179, '2 minutes'],
  ])('says no more minutes than %i seconds have', async (ttl, minutes) => {
    const { message_id } = await sendOtp(aClient(), { ttl });
    expect((await bodyOf(message_id)).text).toContain(`It expires in ${minutes}.`);
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

  it.each([
    ['code_length', { code_length: -1e19 }],
    ['code_length', { code_length: 1e9 }],
    ['template', { template: '{{code}}{{brand}}'.repeat(100_000), brand: 'B'.repeat(64) }],
  ])('refuses a %s without end, however long a text it would make', async (field, fields) => {
    await expect(sendOtp(aClient(), fields)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field }],
    });
  });

  it('counts each SMS with a password, whatever channel it went by before: holds are judged by them', async () => {
    const client = aClient();
    const smsSends = async ({ otp_id }: { readonly otp_id: string }) =>
      (await readOtp(storesIn(tables).context, otp_id))?.sms_sends;
    const byWhatsApp = await sendOtp(client, { channel: 'whatsapp' });
    expect(await smsSends(byWhatsApp)).toBe(0);
    expect(await smsSends(await sendOtp(client, { channel: 'sms' }))).toBe(1);
    expect(await smsSends(await sendOtp(client, { channel: 'whatsapp' }))).toBe(1);
    expect(await smsSends(await sendOtp(client, { channel: 'sms' }))).toBe(2);
    expect((await sendOtp(client)).otp_id).toBe(byWhatsApp.otp_id);
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

  it('reports a template without {{code}}, one with unknown variables, and an invalid number, all at once', async () => {
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
});

describe('the limit of a recipient', () => {
  it('is 5 sends in a window of 10 minutes, whatever the purpose, and says when it ends', async () => {
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
    await expect(sendOtp(client, {}, addSeconds(now, 599.999))).rejects.toMatchObject({
      retryAfterSeconds: 1,
    });
    for (let sends = 0; sends < 5; sends += 1) await sendOtp(client, {}, addSeconds(now, 600));
    await expect(sendOtp(client, {}, addSeconds(now, 600))).rejects.toMatchObject({ retryAfterSeconds: 600 });
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
    const accepted = { attempts_remaining: expect.any(Number) };
    expect(await sendOtp(client, { to: '+447700900124' })).toMatchObject(accepted);
    expect(await sendOtp(aClient())).toMatchObject(accepted);
  });
});
