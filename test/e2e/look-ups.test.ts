/** A client looks up, lists and cancels its own messages over HTTP, and nobody else’s. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal, inSeconds } from '../support/http/expected-responses.ts';

let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  [client, stranger] = await Promise.all([newClient(), newClient()]);
});

describe('look-ups', () => {
  it('know nothing of another client’s message, nor of one that never was', async () => {
    const { body } = await client.post('/api/v1/sms/send', { to: freshNumber(), message: 'x' });
    const id = String(body.message_id);
    expectRefusal(await stranger.call('GET', `/api/v1/sms/status/${id}`), 404, 'not_found');
    expectRefusal(await stranger.call('DELETE', `/api/v1/messages/${id}`), 404, 'not_found');
    expect((await stranger.call('GET', '/api/v1/messages')).body.messages).toEqual([]);
    for (const unknown of ['msg_01KAFF00000000000000000000', 'bat_01KAFF00000000000000000000', 'nonsense']) {
      expectRefusal(await client.call('GET', `/api/v1/sms/status/${unknown}`), 404, 'not_found');
    }
  });

  it('list the client’s messages of every channel, filtered, in pages', async () => {
    const lister = await newClient();
    const sms = { to: freshNumber(), message: 'x', reference: 'one' };
    const first = await lister.post('/api/v1/sms/send', sms);
    const second = await lister.post('/api/v1/whatsapp/send', { ...sms, reference: 'two' });
    const third = await lister.post('/api/v1/sms/send', { ...sms, scheduled_at: inSeconds(3600) });
    const list = async (query: string) => {
      const { status, body } = await lister.call('GET', `/api/v1/messages${query}`);
      expect(status).toBe(200);
      return body as { messages: { message_id: string }[]; next_cursor?: string };
    };
    const idsOf = (page: { messages: { message_id: string }[] }) => page.messages.map((m) => m.message_id);
    const [one, two, three] = [first, second, third].map(({ body }) => String(body.message_id));
    expect(idsOf(await list(''))).toEqual([three, two, one]);
    expect(idsOf(await list('?reference=two'))).toEqual([two]);
    expect(idsOf(await list('?channel=sms&status=scheduled'))).toEqual([three]);
    const page = await list('?limit=2');
    expect(idsOf(page)).toEqual([three, two]);
    const last = await list(`?limit=2&cursor=${page.next_cursor ?? ''}`);
    expect(idsOf(last)).toEqual([one]);
    expect(last).not.toHaveProperty('next_cursor');
    const wrong = await lister.call('GET', '/api/v1/messages?limit=0&status=lost&since=x');
    expectRefusal(wrong, 400, 'invalid_request', ['limit', 'status', 'since']);
  });

  it('cancel a scheduled message once, and no other', async () => {
    const body = { to: freshNumber(), message: 'x', scheduled_at: inSeconds(3600) };
    const { body: scheduled } = await client.post('/api/v1/sms/send', body);
    expect(scheduled).toMatchObject({ status: 'scheduled', scheduled_at: body.scheduled_at });
    const path = `/api/v1/messages/${String(scheduled.message_id)}`;
    const canceled = await client.call('DELETE', path);
    expect(canceled).toMatchObject({
      status: 200,
      body: { status: 'canceled', history: [{ status: 'scheduled' }, { status: 'canceled' }] },
    });
    expect((await client.call('DELETE', path)).status).toBe(200);
    const { body: sent } = await client.post('/api/v1/sms/send', { to: body.to, message: 'x' });
    const refused = await client.call('DELETE', `/api/v1/messages/${String(sent.message_id)}`);
    expectRefusal(refused, 409, 'not_cancelable');
  });
});
