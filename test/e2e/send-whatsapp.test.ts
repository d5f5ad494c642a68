/** The contract’s examples of `whatsapp/send` over HTTP, on the deployed gateway, for every kind of content. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal, idOf, time } from '../support/http/expected-responses.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
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
    [
      'a template with parameters that are called as what every object has',
      {
        type: 'template',
        template: {
          name: 'order',
          language: 'en',
          parameters: { header: 'a', body: { constructor: '1', prototype: '2', valueof: '3' } },
        },
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
    const response = await client.post(path, { to, reference: 'r', ...content });
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
      message_id: idOf('msg'),
      status: 'queued',
      channel: 'whatsapp',
      recipient: to,
      reference: 'r',
      created_at: time,
    });
    const status = await client.statusOnce(response.body.message_id, 'delivered');
    expect(status).not.toHaveProperty('segments');
    expect(await outboxOnce(to, 1)).toHaveLength(1);
  });

  it('reports a message that was read', async () => {
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
