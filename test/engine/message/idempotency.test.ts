/** One key, one send (contract 5.6), on the real tables, at times of the test's own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Kill, Killed } from '../../support/faults/kill-process.ts';
import { aClient, ask, bytesOf, rowsOf, type SendName, sendsIn } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const day = 86_400;
/** After which a request that died in a bulk is known to be dead. */
const bulkLeaseSeconds = 61;

const to = '+447700900123';
const bodies: Record<SendName, Record<string, unknown>> = {
  sms: { to, message: 'Hello', reference: 'r' },
  bulk: { message: 'Hello {{name}}', recipients: [row('1', 'A'), row('2', 'B'), row('3', 'C'), '+33'] },
  otp: { to, purpose: 'login' },
  whatsapp: { to, type: 'location', location: { latitude: 1.5, longitude: 2 } },
};
const messagesOf: Record<SendName, number> = { sms: 1, bulk: 3, otp: 1, whatsapp: 1 };
const names = Object.keys(bodies) as SendName[];

function row(digit: string, name: string) {
  return { to: `+44770090012${digit}`, variables: { name } };
}

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const storedFor = (clientId: string) => rowsOf(tables, tables.names.messages, clientId);

describe.each(names)('a keyed send: %s', (name) => {
  const body = bodies[name];

  it('answers the repeat with the bytes of the first, marked as a repeat', async () => {
    const client = aClient();
    const operation = sendsIn(tables)[name];
    const first = await ask(operation, { client, now, body, key: 'k' });
    const again = await ask(operation, { client, now: addSeconds(now, 20 * day), body, key: 'k' });
    expect(first).toMatchObject({ status: 202, headers: {} });
    expect(again).toMatchObject({ status: 202, headers: { 'Idempotent-Replayed': 'true' } });
    expect(bytesOf(again)).toBe(bytesOf(first));
    expect(await storedFor(client.client_id)).toHaveLength(messagesOf[name]);
  });

  it('stores once for eight requests at once', async () => {
    const client = aClient();
    const asked = { client, now, body, key: 'k' };
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => ask(sendsIn(tables)[name], asked)),
    );
    const responses = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(
      responses.filter((response) => response.headers?.['Idempotent-Replayed'] === undefined),
    ).toHaveLength(1);
    expect(new Set(responses.map(bytesOf)).size).toBe(1);
    // Only a bulk has a time between its first write and its response.
    for (const error of refused) expect(error).toMatchObject({ code: 'idempotency_in_progress' });
    if (name !== 'bulk') expect(refused).toEqual([]);
    expect(await storedFor(client.client_id)).toHaveLength(messagesOf[name]);
  });

  it('refuses another request under the key, and takes it under another', async () => {
    const client = aClient();
    const operation = sendsIn(tables)[name];
    await ask(operation, { client, now, body, key: 'k' });
    const other = { ...body, reference: 'another' };
    await expect(ask(operation, { client, now, body: other, key: 'k' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      status: 422,
    });
    expect((await ask(operation, { client, now, body: other, key: 'k2' })).status).toBe(202);
  });

  it('keeps the keys of clients apart', async () => {
    const operation = sendsIn(tables)[name];
    const [one, two] = [aClient(), aClient()];
    const first = await ask(operation, { client: one, now, body, key: 'k' });
    const second = await ask(operation, { client: two, now, body, key: 'k' });
    expect(second.headers).toEqual({});
    expect(bytesOf(second)).not.toBe(bytesOf(first));
  });

  it.each([
    ['without a character', ''],
    ['with a space', 'with space'],
    ['with a letter beyond ASCII', 'ümlaut'],
    ['with a line break', 'new\nline'],
    ['of 256 characters', 'a'.repeat(256)],
  ])('refuses a key %s', async (_, key) => {
    await expect(ask(sendsIn(tables)[name], { client: aClient(), now, body, key })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'Idempotency-Key' }],
    });
  });

  it.each([
    [
      'with each visible character of ASCII',
      String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 0x21)),
    ],
    ['of 255 characters', '+'.repeat(255)],
  ])('takes a key %s', async (_, key) => {
    const asked = { client: aClient(), now, body, key };
    expect((await ask(sendsIn(tables)[name], asked)).status).toBe(202);
  });

  it('stores once when the process dies at any call, before or after it took effect, and the request is repeated', async () => {
    const undisturbed: Kill = { at: -1, when: 'before', calls: 0 };
    await ask(sendsIn(tables, { kill: undisturbed })[name], { client: aClient(), now, body, key: 'k' });
    expect(undisturbed.calls).toBeGreaterThan(0);
    for (let at = 0; at < undisturbed.calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const client = aClient();
        const kill: Kill = { at, when, calls: 0 };
        const asked = { client, now, body, key: 'k' };
        await expect(ask(sendsIn(tables, { kill })[name], asked)).rejects.toThrow(Killed);
        const later = addSeconds(now, bulkLeaseSeconds);
        const response = await ask(sendsIn(tables)[name], { ...asked, now: later });
        expect(response.status).toBe(202);
        expect(await storedFor(client.client_id)).toHaveLength(messagesOf[name]);
        const again = await ask(sendsIn(tables)[name], { ...asked, now: later });
        expect(bytesOf(again)).toBe(bytesOf(response));
      }
    }
  });
});

describe('the record of a key', () => {
  it('answers the repeat of a scheduled send after its time has passed', async () => {
    const client = aClient();
    const scheduled_at = addSeconds(now, 60).toISOString();
    const asked = { client, now, body: { ...bodies.sms, scheduled_at }, key: 'k' };
    const first = await ask(sendsIn(tables).sms, asked);
    const again = await ask(sendsIn(tables).sms, { ...asked, now: addSeconds(now, 3600) });
    expect(first.body).toMatchObject({ status: 'scheduled', scheduled_at });
    expect(bytesOf(again)).toBe(bytesOf(first));
  });

  it.each(['sms', 'bulk'] as const)(
    'is the texts that were sent, not those of a later setting: %s',
    async (name) => {
      const client = { ...aClient(), smart_encoding: true };
      const asked = { now, body: { ...bodies[name], message: 'It’s {{name}}' }, key: 'k' };
      const first = await ask(sendsIn(tables)[name], { ...asked, client });
      const again = await ask(sendsIn(tables)[name], {
        ...asked,
        client: { ...client, smart_encoding: false },
      });
      expect(bytesOf(again)).toBe(bytesOf(first));
      expect(bytesOf(first)).toContain('"encoding":"GSM-7"');
      for (const { text } of await storedFor(client.client_id)) expect(text).toContain("It's");
    },
  );

  it('answers the repeat of a client that may no longer send there', async () => {
    const client = aClient();
    const first = await ask(sendsIn(tables).sms, { client, now, body: bodies.sms, key: 'k' });
    const limited = { ...client, countries: ['FR'] };
    const again = await ask(sendsIn(tables).sms, { client: limited, now, body: bodies.sms, key: 'k' });
    expect(bytesOf(again)).toBe(bytesOf(first));
  });

  it('is a bulk that is still being stored: 409, until its request has certainly ended', async () => {
    const client = aClient();
    const asked = { client, now, body: bodies.bulk, key: 'k' };
    // The second call stores the batch.
    await expect(
      ask(sendsIn(tables, { kill: { at: 1, when: 'after', calls: 0 } }).bulk, asked),
    ).rejects.toThrow(Killed);
    await expect(ask(sendsIn(tables).bulk, { ...asked, now: addSeconds(now, 59) })).rejects.toMatchObject({
      code: 'idempotency_in_progress',
      status: 409,
    });
    const response = await ask(sendsIn(tables).bulk, { ...asked, now: addSeconds(now, bulkLeaseSeconds) });
    expect(response).toMatchObject({ status: 202, headers: { 'Idempotent-Replayed': 'true' } });
  });

  it('counts one send to the recipient for a one-time password, however often its request died', async () => {
    const client = aClient();
    const asked = { client, now, body: bodies.otp, key: 'k' };
    for (let at = 1; at < 6; at += 1) {
      await ask(sendsIn(tables, { kill: { at, when: 'after', calls: 0 } }).otp, asked).catch(() => undefined);
    }
    await ask(sendsIn(tables).otp, asked);
    for (const key of ['2', '3', '4', '5']) await ask(sendsIn(tables).otp, { ...asked, key });
    await expect(ask(sendsIn(tables).otp, { ...asked, key: '6' })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });
  });

  it('makes a password that can be verified, when its request died and is repeated after the first would have expired', async () => {
    const client = aClient();
    const asked = { client, now, body: { ...bodies.otp, ttl: 60 }, key: 'k' };
    const undisturbed: Kill = { at: -1, when: 'before', calls: 0 };
    await ask(sendsIn(tables, { kill: undisturbed }).otp, { ...asked, client: aClient() });
    const kill: Kill = { at: undisturbed.calls - 1, when: 'before', calls: 0 };
    await expect(ask(sendsIn(tables, { kill }).otp, asked)).rejects.toThrow(Killed);
    const later = addSeconds(now, 120);
    const { body } = await ask(sendsIn(tables).otp, { ...asked, now: later });
    const { otp_id } = body as { otp_id: string };
    const stored = (await rowsOf(tables, tables.names.one_time_passwords, client.client_id)).find(
      (otp) => otp.otp_id === otp_id,
    );
    expect(stored).toMatchObject({ expires_at: addSeconds(later, 60).toISOString(), status: 'pending' });
  });
});
