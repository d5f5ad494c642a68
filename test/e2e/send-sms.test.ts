/** The contract’s examples of `sms/send` over HTTP, on the deployed gateway, with every refusal and its fields. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { call, newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal, idOf, inSeconds, time } from '../support/http/expected-responses.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

describe('POST /api/v1/sms/send', () => {
  const path = '/api/v1/sms/send';

  it('returns 202 with the example’s fields, and the status has the rest', async () => {
    const to = freshNumber();
    const body = {
      to,
      message: 'Your order is on its way',
      from: 'FREENAME',
      type: 'transactional',
      validity_period: 3600,
      reference: 'order-42',
      webhook_url: null,
      a_field_of_tomorrow: 1,
    };
    const response = await client.post(path, body);
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
      message_id: idOf('msg'),
      status: 'queued',
      channel: 'sms',
      recipient: to,
      encoding: 'GSM-7',
      segments: 1,
      reference: 'order-42',
      created_at: time,
    });
    expect(response.headers.get('x-ratelimit-policy')).toContain('comment=sms_send_');
    const status = await client.statusOnce(response.body.message_id, 'delivered');
    expect(status).toEqual({
      message_id: response.body.message_id,
      client_id: client.clientId,
      channel: 'sms',
      status: 'delivered',
      recipient: to,
      from: 'FREENAME',
      type: 'transactional',
      reference: 'order-42',
      encoding: 'GSM-7',
      carrier: 'simulator',
      attempts: [{ carrier: 'simulator', at: time, outcome: 'accepted' }],
      segments: 1,
      cost: 0.0042,
      currency: 'USD',
      error: null,
      created_at: response.body.created_at,
      scheduled_at: null,
      sent_at: time,
      delivered_at: time,
      read_at: null,
      expires_at: new Date(Date.parse(String(response.body.created_at)) + 3_600_000).toISOString(),
      history: ['queued', 'sent', 'delivered'].map((entered) => ({ status: entered, at: time })),
    });
    const [handedOver, ...more] = await outboxOnce(to, 1);
    expect(handedOver).toMatchObject({ body: body.message, from: 'FREENAME', channel: 'sms' });
    expect(more).toEqual([]);
  });

  it.each([
    ['no field at all', {}, ['to', 'message']],
    [
      'wrong types',
      { to: 44, message: ['x'], validity_period: '60', reference: 7 },
      ['to', 'message', 'validity_period', 'reference'],
    ],
    ['no number', { to: '07700900123', message: 'x' }, ['to']],
    ['a number too short for its country', { to: '+4477009', message: 'x' }, ['to']],
    ['no text', { to: '+447700900123', message: '' }, ['message']],
    ['1,601 characters', { to: '+447700900123', message: 'x'.repeat(1601) }, ['message']],
    ['a sender of digits alone', { to: '+447700900123', message: 'x', from: '12345' }, ['from']],
    ['a sender of 12 letters', { to: '+447700900123', message: 'x', from: 'ABCDEFGHIJKL' }, ['from']],
    ['a wrong type', { to: '+447700900123', message: 'x', type: 'spam' }, ['type']],
    ['a validity of 4 s', { to: '+447700900123', message: 'x', validity_period: 4 }, ['validity_period']],
    [
      'a validity of 3 days and a second',
      { to: '+447700900123', message: 'x', validity_period: 259_201 },
      ['validity_period'],
    ],
    [
      'a reference of 129 characters',
      { to: '+447700900123', message: 'x', reference: 'r'.repeat(129) },
      ['reference'],
    ],
    ['no URL', { to: '+447700900123', message: 'x', webhook_url: 'nowhere' }, ['webhook_url']],
    [
      'a time in words, and no number',
      { to: '1', message: 'x', scheduled_at: 'soon' },
      ['to', 'scheduled_at'],
    ],
    [
      'a time too soon, and no text',
      { to: '+447700900123', scheduled_at: inSeconds(50) },
      ['message', 'scheduled_at'],
    ],
    [
      'a time too far ahead',
      { to: '+447700900123', message: 'x', scheduled_at: inSeconds(181 * 86_400) },
      ['scheduled_at'],
    ],
  ])('refuses %s with all its faulty fields', async (_, body, fields) => {
    expectRefusal(await client.post(path, body), 400, 'invalid_request', fields);
  });

  it('refuses a body that is no object, no JSON, and of another media type', async () => {
    expectRefusal(await client.post(path, '[1]'), 400, 'invalid_request');
    expectRefusal(await client.post(path, '{"to":'), 400, 'invalid_request');
    expectRefusal(await client.call('POST', path), 400, 'invalid_request');
    const form = await call('POST', path, {
      headers: { Authorization: `Bearer ${client.apiKey}`, 'Content-Type': 'text/plain' },
      body: 'to=1',
    });
    expectRefusal(form, 415, 'unsupported_media_type');
  });

  it('takes 1,600 characters, and counts their segments in each alphabet', async () => {
    // 33 to a segment: a character of two units is not parted.
    const long = await client.post(path, { to: freshNumber(), message: '😀'.repeat(1600) });
    expect(long.body).toMatchObject({ encoding: 'UCS-2', segments: 49 });
    const gsm = await client.post(path, { to: freshNumber(), message: 'a'.repeat(161) });
    expect(gsm.body).toMatchObject({ encoding: 'GSM-7', segments: 2 });
  });
});
