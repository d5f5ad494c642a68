/** The contract's examples of the sending API over HTTP, on the deployed gateway, with every refusal and its fields. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, gateway } from '../support/gateway.ts';
import {
  type Answer,
  freshNumber,
  outboxOf,
  outboxOnce,
  type SendingClient,
  sendingClient,
} from '../support/sending-client.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const idOf = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`));
const time = expect.stringMatching(isoTime);

let client: SendingClient;
let stranger: SendingClient;
let scheduled: Awaited<ReturnType<typeof scheduleTwo>>;
beforeAll(async () => {
  [client, stranger] = await Promise.all([sendingClient(), sendingClient()]);
  // What takes a minute by the clock begins first, and the other tests pass meanwhile.
  scheduled = await scheduleTwo();
}, 120_000);

/** A refusal in the contract's form: its code, and all of its faulty fields. */
function expectRefusal(answer: Answer, status: number, error: string, fields?: readonly string[]): void {
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
  expect(answer.body).toMatchObject({
    message: expect.any(String),
    request_id: answer.headers.get('x-request-id'),
  });
  const details = (answer.body.details ?? []) as { field: string; message: string }[];
  expect(details.map(({ field }) => field).toSorted()).toEqual([...(fields ?? [])].toSorted());
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

describe('POST /api/v1/sms/send', () => {
  const path = '/api/v1/sms/send';

  it('answers 202 with the example’s fields, and the status tells the rest', async () => {
    const to = freshNumber();
    const body = {
      to,
      message: 'Your order is on its way',
      from: 'ACME',
      type: 'transactional',
      validity_period: 3600,
      reference: 'order-42',
      webhook_url: null,
      a_field_of_tomorrow: 1,
    };
    const answer = await client.post(path, body);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      message_id: idOf('msg'),
      status: 'queued',
      channel: 'sms',
      recipient: to,
      encoding: 'GSM-7',
      segments: 1,
      reference: 'order-42',
      created_at: time,
    });
    expect(answer.headers.get('x-ratelimit-policy')).toContain('comment=sms_send_');
    const status = await client.statusOnce(answer.body.message_id, 'delivered');
    expect(status).toEqual({
      message_id: answer.body.message_id,
      client_id: client.clientId,
      channel: 'sms',
      status: 'delivered',
      recipient: to,
      from: 'ACME',
      type: 'transactional',
      reference: 'order-42',
      encoding: 'GSM-7',
      segments: 1,
      cost: 0.0042,
      currency: 'USD',
      error: null,
      created_at: answer.body.created_at,
      scheduled_at: null,
      sent_at: time,
      delivered_at: time,
      read_at: null,
      expires_at: new Date(Date.parse(String(answer.body.created_at)) + 3_600_000).toISOString(),
      history: ['queued', 'sent', 'delivered'].map((entered) => ({ status: entered, at: time })),
    });
    const [handedOver, ...more] = await outboxOnce(to, 1);
    expect(handedOver).toMatchObject({ body: body.message, from: 'ACME', channel: 'sms' });
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
    const form = await fetch(`${gateway().base_url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${client.apiKey}`, 'Content-Type': 'text/plain' },
      body: 'to=1',
    });
    expect(form.status).toBe(415);
  });

  it('takes 1,600 characters, and counts their segments in each alphabet', async () => {
    // 33 to a segment: a character of two units is not parted.
    const long = await client.post(path, { to: freshNumber(), message: '😀'.repeat(1600) });
    expect(long.body).toMatchObject({ encoding: 'UCS-2', segments: 49 });
    const gsm = await client.post(path, { to: freshNumber(), message: 'a'.repeat(161) });
    expect(gsm.body).toMatchObject({ encoding: 'GSM-7', segments: 2 });
  });
});

describe('countries and senders', () => {
  it('are 403 where the client may not use them, and where the country takes no such sender', async () => {
    const limited = await sendingClient({ countries: ['GB'], senders: ['ACME'] });
    const path = '/api/v1/sms/send';
    const send = (by: SendingClient, body: object) => by.post(path, { message: 'x', ...body });
    expectRefusal(await send(limited, { to: '+33612345678' }), 403, 'forbidden');
    expectRefusal(await send(limited, { to: freshNumber(), from: 'OTHER' }), 403, 'forbidden');
    expect((await send(limited, { to: freshNumber(), from: 'ACME' })).status).toBe(202);
    expectRefusal(await send(client, { to: '+12025550123', from: 'ACME' }), 403, 'forbidden');
    expectRefusal(await send(client, { to: '+14165550123', from: 'ACME' }), 403, 'forbidden');
    expect((await send(client, { to: '+12025550123', from: '+12025550100' })).status).toBe(202);
    expectRefusal(await limited.post('/api/v1/otp/send', { to: '+33612345678' }), 403, 'forbidden');
    const whatsapp = { to: '+33612345678', message: 'x' };
    expectRefusal(await limited.post('/api/v1/whatsapp/send', whatsapp), 403, 'forbidden');
    const bulk = await limited.post('/api/v1/sms/bulk', {
      message: 'x',
      recipients: [freshNumber(), '+33612345678'],
    });
    expect(bulk.body).toMatchObject({ accepted: 1, errors: [{ index: 1, error: 'forbidden' }] });
  });
});

describe('POST /api/v1/sms/bulk', () => {
  const path = '/api/v1/sms/bulk';

  it('answers 202 with the example’s fields; the batch and each message can be looked up', async () => {
    const to = freshNumber();
    const answer = await client.post(path, {
      message: 'Hello {{name}}',
      recipients: [{ to, variables: { name: 'Ann' }, reference: 'r1' }, '+33'],
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      batch_id: idOf('bat'),
      status: 'accepted',
      total: 2,
      accepted: 1,
      rejected: 1,
      messages: [
        { index: 0, message_id: idOf('msg'), recipient: to, status: 'queued', segments: 1, reference: 'r1' },
      ],
      errors: [{ index: 1, to: '+33', error: 'invalid_recipient', message: expect.any(String) }],
    });
    const [message] = answer.body.messages as { message_id: string }[];
    await client.statusOnce(message?.message_id, 'delivered');
    const batch = await client.call('GET', `/api/v1/sms/status/${String(answer.body.batch_id)}`);
    expect(batch.body).toEqual({
      batch_id: answer.body.batch_id,
      total: 2,
      accepted: 1,
      rejected: 1,
      counts: { delivered: 1 },
      created_at: time,
    });
    expect((await outboxOnce(to, 1)).map((entry) => entry.body)).toEqual(['Hello Ann']);
    const foreign = await stranger.call('GET', `/api/v1/sms/status/${String(answer.body.batch_id)}`);
    expectRefusal(foreign, 404, 'not_found');
  });

  it('refuses what is wrong with the whole, and names every row where none can be sent to', async () => {
    expectRefusal(await client.post(path, {}), 400, 'invalid_request', ['recipients']);
    const wrong = { recipients: 'all', from: '1', validity_period: 1, scheduled_at: inSeconds(5) };
    const fields = ['recipients', 'from', 'validity_period', 'scheduled_at'];
    expectRefusal(await client.post(path, wrong), 400, 'invalid_request', fields);
    const none = await client.post(path, { message: 'x', recipients: ['+33', '12'] });
    expectRefusal(none, 400, 'no_valid_recipients', ['recipients[0].to', 'recipients[1].to']);
  });
});

describe('POST /api/v1/whatsapp/send', () => {
  const path = '/api/v1/whatsapp/send';

  it.each([
    ['text', { message: 'Hello' }],
    [
      'template',
      { type: 'template', template: { name: 'order', language: 'en_GB', parameters: { body: ['42'] } } },
    ],
    [
      'template',
      {
        type: 'template',
        template: { name: 'order', language: 'en', parameters: { body: { order: '42' } } },
      },
    ],
    ['image', { type: 'image', media: { url: 'https://example.com/a.png', caption: 'A' } }],
    ['video', { type: 'video', media: { id: '1' } }],
    ['audio', { type: 'audio', media: { id: '1' } }],
    ['document', { type: 'document', media: { id: '1', filename: 'a.pdf' } }],
    ['sticker', { type: 'sticker', media: { id: '1' } }],
    ['location', { type: 'location', location: { latitude: 51.5, longitude: -0.12, name: 'Here' } }],
  ])('sends %s, and answers without encoding and segments', async (_, content) => {
    const to = freshNumber();
    const answer = await client.post(path, { to, reference: 'r', ...content });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      message_id: idOf('msg'),
      status: 'queued',
      channel: 'whatsapp',
      recipient: to,
      reference: 'r',
      created_at: time,
    });
    const status = await client.statusOnce(answer.body.message_id, 'delivered');
    expect(status).not.toHaveProperty('segments');
    expect(await outboxOnce(to, 1)).toHaveLength(1);
  });

  it('tells of a message that was read', async () => {
    const { body } = await client.post(path, { to: '+15005550005', message: 'Hello' });
    const status = await client.statusOnce(body.message_id, 'read');
    expect(status).toMatchObject({ sent_at: time, delivered_at: time, read_at: time });
  });

  it.each([
    ['no content', {}, ['to', 'message']],
    ['an unknown type, and no number', { type: 'poll' }, ['to', 'type']],
    ['4,097 characters', { to: '+447700900123', message: 'x'.repeat(4097) }, ['message']],
    [
      'a template without a name and a language',
      { to: '+447700900123', type: 'template', template: {} },
      ['template.name', 'template.language'],
    ],
    ['media without a source', { to: '+447700900123', type: 'image', media: {} }, ['media.url']],
    [
      'media from two sources',
      { to: '+447700900123', type: 'image', media: { id: '1', url: 'https://a.example/b' } },
      ['media.url'],
    ],
    [
      'a place off the globe',
      { to: '+447700900123', type: 'location', location: { latitude: 91, longitude: 200 } },
      ['location.latitude', 'location.longitude'],
    ],
    [
      'a template larger than a row can hold',
      {
        to: '+447700900123',
        type: 'template',
        template: {
          name: 'a',
          language: 'en',
          parameters: { body: Array.from({ length: 64 }, () => '😀'.repeat(500)) },
        },
      },
      ['template.parameters'],
    ],
  ])('refuses %s with all its faulty fields', async (_, body, fields) => {
    expectRefusal(await client.post(path, body), 400, 'invalid_request', fields);
  });
});

describe('one-time passwords', () => {
  it('go out with a code, and are verified by it once', async () => {
    const to = freshNumber();
    const sent = await client.post('/api/v1/otp/send', { to, reference: 'login-1' });
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({
      otp_id: idOf('otp'),
      message_id: idOf('msg'),
      status: 'pending',
      channel: 'sms',
      recipient: to,
      reference: 'login-1',
      expires_at: time,
      attempts_remaining: 5,
    });
    const [entry] = await outboxOnce(to, 1);
    const code = /\d{6}/.exec(entry?.body ?? '')?.[0] ?? '';
    const { otp_id } = sent.body;
    const verify = (body: object) => client.post('/api/v1/otp/verify', body);
    const other = code === '000000' ? '000001' : '000000';
    const wrong = await verify({ otp_id, code: other });
    expect(wrong).toMatchObject({
      status: 200,
      body: { otp_id, verified: false, status: 'pending', attempts_remaining: 4 },
    });
    expectRefusal(await stranger.post('/api/v1/otp/verify', { otp_id, code }), 404, 'not_found');
    const right = await verify({ to, code });
    expect(right.body).toEqual({ otp_id, verified: true, status: 'verified' });
    expectRefusal(await verify({ otp_id, code }), 409, 'otp_already_used');
  });

  it('are refused at the sixth send to a recipient, with the headers of that limit', async () => {
    const to = freshNumber();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post('/api/v1/otp/send', { to })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expectRefusal(refused, 429, 'rate_limit_exceeded');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBe(refused.body.retry_after);
      expect(seconds).toBeGreaterThan(500);
      expect(seconds).toBeLessThanOrEqual(600);
      expect(refused.headers.get('x-ratelimit-policy')).toBe('5;w=600;comment=otp_recipient');
      expect(refused.headers.get('x-ratelimit-limit')).toBe('5');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('are refused with all faulty fields, and where the code is unknown', async () => {
    const wrong = {
      to: '1',
      channel: 'fax',
      code_length: 3,
      ttl: 59,
      max_attempts: 0,
      purpose: 'a b',
      template: 'no code',
    };
    expectRefusal(await client.post('/api/v1/otp/send', wrong), 400, 'invalid_request', Object.keys(wrong));
    expectRefusal(await client.post('/api/v1/otp/verify', {}), 400, 'invalid_request', ['code', 'otp_id']);
    const unknown = { otp_id: 'otp_01KAFF00000000000000000000', code: '123456' };
    expectRefusal(await client.post('/api/v1/otp/verify', unknown), 404, 'not_found');
  });
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
    const lister = await sendingClient();
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

describe('the account', () => {
  it('is shown with its limits; its webhook URL can be set and removed, nothing else', async () => {
    const own = await sendingClient();
    const shown = await own.call('GET', '/api/v1/account');
    expect(shown.body).toMatchObject({ client_id: own.clientId, name: 'Sender', webhook_url: null });
    const { limits } = shown.body as { limits: Record<string, unknown> };
    expect(limits['POST /api/v1/sms/send']).toEqual({
      per_minute: 20_000,
      per_hour: 1_000_000,
      per_day: 10_000_000,
    });
    const change = (body: unknown) => own.call('PATCH', '/api/v1/account', { body });
    const url = 'https://example.com/hook';
    expect((await change({ webhook_url: url, name: 'Other' })).body).toMatchObject({
      webhook_url: url,
      name: 'Sender',
    });
    expect((await change({})).body).toMatchObject({ webhook_url: url });
    expectRefusal(await change({ webhook_url: 'ftp://example.com' }), 400, 'invalid_request', [
      'webhook_url',
    ]);
    expectRefusal(await change({ webhook_url: 7 }), 400, 'invalid_request', ['webhook_url']);
    expect((await change({ webhook_url: null })).body).toMatchObject({ webhook_url: null });
  });

  it('gives a new webhook secret once, the one before beside it for 24 hours', async () => {
    const own = await sendingClient();
    const before = Date.now();
    const answer = await own.call('POST', '/api/v1/account/webhook-secret');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: time,
      previous_secret_expires_at: time,
    });
    expect(answer.body.webhook_secret).not.toBe(own.webhookSecret);
    const ends = Date.parse(String(answer.body.previous_secret_expires_at));
    expect(ends - before).toBeGreaterThanOrEqual(86_400_000);
    expect(ends - before).toBeLessThan(86_400_000 + 60_000);
  });
});

describe('a key over HTTP', () => {
  const number = freshNumber();
  it.each([
    ['/api/v1/sms/send', { message: 'x' }],
    ['/api/v1/whatsapp/send', { message: 'x' }],
    ['/api/v1/otp/send', {}],
    ['/api/v1/sms/bulk', { message: 'x' }],
  ])('makes eight requests at once one message at the carrier: %s', async (path, fields) => {
    const to = freshNumber();
    const body = path.endsWith('bulk') ? { ...fields, recipients: [to] } : { ...fields, to };
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.post(path, body, key)));
    const taken = answers.filter(({ status }) => status === 202);
    expect(new Set(taken.map(({ text }) => text)).size).toBe(1);
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expectRefusal(refused, 409, 'idempotency_in_progress');
    }
    const repeat = await eventually(async () => {
      const answer = await client.post(path, body, key);
      return answer.status === 202 ? answer : undefined;
    });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.text).toBe(taken[0]?.text);
    const other = await client.post(path, { ...body, reference: 'other' }, key);
    expectRefusal(other, 422, 'idempotency_key_reused');
    expectRefusal(await client.post(path, body, 'a b'), 400, 'invalid_request', ['Idempotency-Key']);
    const id =
      (repeat.body.message_id as string | undefined) ??
      (repeat.body.messages as { message_id: string }[])[0]?.message_id;
    await client.statusOnce(id, 'delivered');
    expect(await outboxOnce(to, 1)).toHaveLength(1);
  });

  it('is the client’s own', async () => {
    const body = { to: number, message: 'x' };
    const key = randomUUID();
    const mine = await client.post('/api/v1/sms/send', body, key);
    const theirs = await stranger.post('/api/v1/sms/send', body, key);
    expect(theirs.status).toBe(202);
    expect(theirs.body.message_id).not.toBe(mine.body.message_id);
  });
});

/** Two messages for as soon as the contract allows, the second of them canceled. */
async function scheduleTwo() {
  const at = new Date(Date.now() + 65_000);
  const [kept, canceled] = [freshNumber(), freshNumber()];
  const send = async (to: string) => {
    const body = { to, message: 'Later', scheduled_at: at.toISOString() };
    const answer = await client.post('/api/v1/sms/send', body);
    expect(answer.status).toBe(202);
    return answer.body.message_id;
  };
  const [keptId, canceledId] = [await send(kept), await send(canceled)];
  const answer = await client.call('DELETE', `/api/v1/messages/${String(canceledId)}`);
  expect(answer.status).toBe(200);
  return { at, kept, keptId, canceled };
}

describe('a scheduled message', () => {
  it('goes out at its time and not before; one that was canceled never does', async () => {
    const { at, kept, keptId, canceled } = scheduled;
    const status = await client.statusOnce(keptId, 'delivered');
    const history = status.history as { status: string; at: string }[];
    expect(history.map((entry) => entry.status)).toEqual(['scheduled', 'queued', 'sent', 'delivered']);
    expect(Date.parse(history[1]?.at ?? '')).toBeGreaterThanOrEqual(at.getTime());
    const [entry, ...more] = await outboxOnce(kept, 1);
    expect(more).toEqual([]);
    expect(Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(at.getTime());
    expect(await outboxOf(canceled)).toEqual([]);
  }, 180_000);
});
