/** People write to the gateway: their messages belong to a client, are reported to it, and say whether it may write again. */
import { randomInt } from 'node:crypto';
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
    const { body } = await asAdmin('GET', `/conversations/${encodeURIComponent(person)}`);
    expect(body).toMatchObject({
      person,
      messages: [
        { message_id: later, direction: 'outbound', text: 'Hello' },
        { direction: 'inbound', text: 'START', asks_for: 'opt_in' },
        { message_id: refused, direction: 'outbound', error_code: 'recipient_opted_out' },
        { message_id: stop, direction: 'inbound', asks_for: 'opt_out', number: ourNumber },
        { message_id: first, direction: 'outbound' },
      ],
      clients: [{ client_id: own.clientId, suppression: null, window_expires_at: null }],
    });
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

  it('comes unasked from two recipients of the simulated carrier: one echoes, one answers STOP', async () => {
    const own = await newClient();
    const echo = await send(own, '+15005550009');
    const echoed = await eventually(async () => {
      const { body } = await own.call('GET', '/api/v1/messages?direction=inbound');
      return (body.messages as Record<string, unknown>[]).find(({ from }) => from === '+15005550009');
    });
    expect(echoed).toMatchObject({ text: 'Hello', in_reply_to: echo });
    await send(own, '+15005550008');
    const suppressed = await eventually(async () => {
      const { body } = await own.call('GET', '/api/v1/suppressions');
      return (body.suppressions as Record<string, unknown>[])[0];
    });
    expect(suppressed).toMatchObject({ recipient: '+15005550008', scope: 'messages', source: 'keyword' });
  });

  it('belongs to the client whose row of senders claims the number', async () => {
    const [owner, writer] = [await newClient(), await newClient()];
    const number = `+1212555${randomInt(1000, 9999)}`;
    const person = freshNumber();
    await when(writer, await send(writer, person), 'delivered');
    await asAdmin('PATCH', '/senders', {
      client_id: owner.clientId,
      country: 'GB',
      identity: number,
      inbound: true,
    });
    // The rows are read every 45 s.
    const received = await eventually(
      async () => {
        await asAdmin('POST', '/inbound', { from: person, to: number, text: 'Hello', channel: 'sms' });
        const { body } = await owner.call('GET', '/api/v1/messages?direction=inbound');
        return (body.messages as Record<string, unknown>[])[0];
      },
      { everyMilliseconds: 3000 },
    );
    expect(received).toMatchObject({ recipient: number, from: person, text: 'Hello' });
  });

  it('without a client is in the activity log, without the number', async () => {
    const person = freshNumber();
    const id = await write(person, 'Who is this?');
    const noted = await eventually(async () => {
      const { body } = await asAdmin('GET', '/activity?kind=inbound_unassigned&limit=100');
      return (body.entries as { message_id?: string }[]).find(({ message_id }) => message_id === id);
    });
    expect(JSON.stringify(noted)).not.toContain(person);
  });
});
