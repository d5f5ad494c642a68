import { describe, expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

/** The number of the simulated carrier. */
const ourNumber = '+15005550100';

async function asAdmin(method: string, path: string, body?: unknown) {
  const credential = await adminToken();
  return call(method, `/admin/api${path}`, body === undefined ? { credential } : { credential, body });
}

async function send(own: TestClient, to: string): Promise<string> {
  const { body } = await own.call('POST', '/api/v1/sms/send', { body: { to, message: 'Hello' } });
  return String(body.message_id);
}

async function statusOf(own: TestClient, messageId: string) {
  return (await own.call('GET', `/api/v1/sms/status/${messageId}`)).body;
}

async function write(from: string, text: string, channel = 'sms'): Promise<string> {
  const { status, body } = await asAdmin('POST', '/inbound', { from, to: ourNumber, text, channel });
  expect(status).toBe(200);
  return String(body.message_id);
}

async function when(own: TestClient, messageId: string, status: string) {
  return eventually(async () => {
    const found = await statusOf(own, messageId);
    return found.status === status ? found : undefined;
  });
}

describe('a message from a person', () => {
  it('belongs to the client that last wrote to them, which lists it; STOP ends and START allows messages', async () => {
    const [own, other] = [await newClient(), await newClient()];
    const person = freshNumber();
    const first = await send(own, person);
    await when(own, first, 'delivered');
    const stop = await write(person, ' stop! ');
    expect(await when(own, stop, 'received')).toMatchObject({
      direction: 'inbound',
      from: person,
      recipient: ourNumber,
      text: ' stop! ',
    });
    expectRefusal(await other.call('GET', `/api/v1/sms/status/${stop}`), 404, 'not_found');
    const listed = async (direction: string) =>
      (
        (await own.call('GET', `/api/v1/messages?direction=${direction}`)).body.messages as {
          message_id: string;
        }[]
      ).map(({ message_id }) => message_id);
    expect(await listed('inbound')).toEqual([stop]);
    expect(await listed('outbound')).toEqual([first]);
    expect(await listed('all')).toEqual([stop, first]);
    const refused = await send(own, person);
    expect(await when(own, refused, 'failed')).toMatchObject({
      sent_at: null,
      error: { code: 'recipient_opted_out' },
    });
    await when(own, await write(person, 'START'), 'received');
    const later = await send(own, person);
    await when(own, later, 'delivered');
    const { body } = await asAdmin('GET', `/messages?recipient=${encodeURIComponent(person)}`);
    expect(body.messages).toMatchObject([
      { message_id: later, client_id: own.clientId },
      { direction: 'inbound', text: 'START' },
      { message_id: refused, error: { code: 'recipient_opted_out' } },
      { message_id: stop, direction: 'inbound', recipient: ourNumber },
      { message_id: first },
    ]);
    const shown = (await asAdmin('GET', `/messages/${later}`)).body;
    expect(shown).toMatchObject({ client: { suppression: null, window_expires_at: null }, text: 'Hello' });
  });

  it('opens the WhatsApp window; outside of it the fallback template is sent', async () => {
    const own = await newClient();
    const person = freshNumber();
    const sendText = async () => {
      const response = await own.call('POST', '/api/v1/whatsapp/send', {
        body: {
          to: person,
          message: 'Any questions?',
          fallback_template: { name: 'contact_us', language: 'en' },
        },
      });
      const id = String(response.body.message_id);
      await when(own, id, 'delivered');
      return id;
    };
    const bodyOf = async (messageId: string) => {
      const { body } = await asAdmin('GET', `/outbox?to=${encodeURIComponent(person)}`);
      const found = (body.messages as { message_id: string; body: string }[]).find(
        ({ message_id }) => message_id === messageId,
      );
      return found?.body;
    };
    const closed = await sendText();
    expect(await bodyOf(closed)).toContain('contact_us');
    expect(await statusOf(own, closed)).toMatchObject({ window_expires_at: null });
    await when(own, await write(person, 'Yes', 'whatsapp'), 'received');
    const open = await sendText();
    expect(await bodyOf(open)).toBe('Any questions?');
    const { window_expires_at } = await statusOf(own, open);
    expect(Date.parse(String(window_expires_at))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });
});
