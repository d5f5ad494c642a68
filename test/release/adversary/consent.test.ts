/** Consent: the words of a person count for those who wrote to them, and no client speaks for a person to another client. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { eventually } from '../../support/gateway/gateway.ts';
import { adminToken, call, newClient, type TestClient } from '../../support/http/client.ts';
import { inSeconds } from '../../support/http/expected-responses.ts';

let first: TestClient;
let second: TestClient;
beforeAll(async () => {
  [first, second] = await Promise.all([newClient(), newClient()]);
});

async function sendTo(client: TestClient, to: string): Promise<void> {
  await client.statusOnce(await client.send({ to, message: 'Hello' }), 'delivered');
}

/** Returns once the message is stored, no matter who owns it. */
async function says(person: string, text: string): Promise<void> {
  const credential = await adminToken();
  const body = { from: person, text, channel: 'sms' };
  const sent = await call('POST', '/admin/api/inbound', { credential, body });
  await eventually(async () => {
    const path = `/admin/api/conversations/${encodeURIComponent(person)}`;
    const { messages } = (await call('GET', path, { credential })).body as {
      messages: { message_id: string }[];
    };
    return messages.some(({ message_id }) => message_id === sent.body.message_id) || undefined;
  });
}

async function isSuppressed(client: TestClient, person: string): Promise<boolean> {
  const { body } = await client.call('GET', `/api/v1/suppressions?recipient=${encodeURIComponent(person)}`);
  return (body.suppressions as unknown[]).length > 0;
}

async function inboundOf(client: TestClient, person: string): Promise<unknown[]> {
  const { body } = await client.call('GET', '/api/v1/messages?direction=inbound');
  return (body.messages as { from: string; text: string }[])
    .filter(({ from }) => from === person)
    .map(({ text }) => text);
}

describe('STOP', () => {
  it.each([
    'STOP‼️',
    'stop ⛔️',
    'Stop❗️❗️',
    'ＳＴＯＰ',
    '\u200bStop\ufeff',
    'STOP\u0301',
    '1️⃣ stop',
    '“Unsubscribe.”',
  ])('counts as %p', async (text) => {
    const person = freshNumber();
    await sendTo(first, person);
    await says(person, text);
    expect(await eventually(async () => (await isSuppressed(first, person)) || undefined)).toBe(true);
  });

  it.each(['stop by at 5', "don't stop", 'STOP 2', 'the end'])('is not %p', async (text) => {
    const person = freshNumber();
    await sendTo(first, person);
    await says(person, text);
    await says(person, 'Hello');
    expect(await isSuppressed(first, person)).toBe(false);
  });

  it('and replies are of those whose message a carrier took, whatever another client has waiting', async () => {
    const person = freshNumber();
    await sendTo(first, person);
    for (let count = 0; count < 30; count += 1) {
      const scheduled_at = inSeconds(3600);
      const { body } = await second.post('/api/v1/sms/send', { to: person, message: 'x', scheduled_at });
      if (count % 2 === 0) await second.call('DELETE', `/api/v1/messages/${String(body.message_id)}`);
    }
    await says(person, 'A secret');
    await says(person, 'STOP');
    await eventually(async () => (await isSuppressed(first, person)) || undefined);
    expect(await inboundOf(first, person)).toEqual(['STOP', 'A secret']);
    expect(await inboundOf(second, person)).toEqual([]);
    expect(await isSuppressed(second, person)).toBe(false);
  });

  it('on a shared number reaches each that wrote from it; the message only the last', async () => {
    const person = freshNumber();
    await sendTo(first, person);
    await sendTo(second, person);
    await says(person, 'stop!');
    for (const client of [first, second])
      await eventually(async () => (await isSuppressed(client, person)) || undefined);
    expect(await inboundOf(second, person)).toEqual(['stop!']);
    expect(await inboundOf(first, person)).toEqual([]);
    await says(person, 'START');
    for (const client of [first, second])
      await eventually(async () => !(await isSuppressed(client, person)) || undefined);
  });
});

describe('what a client says about a person', () => {
  it('has effect for that client only', async () => {
    const person = freshNumber();
    const path = `/api/v1/suppressions/${encodeURIComponent(person)}`;
    await first.call('PUT', path, { body: { scope: 'all' } });
    await sendTo(second, person);
    await says(person, 'STOP');
    await eventually(async () => (await isSuppressed(second, person)) || undefined);
    // Neither does its end.
    await first.call('DELETE', path);
    expect(await isSuppressed(second, person)).toBe(true);
  });
});
