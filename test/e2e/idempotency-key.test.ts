/** Requests with one key are one message at the carrier, for each send over HTTP. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  [client, stranger] = await Promise.all([newClient(), newClient()]);
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
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.post(path, body, key)));
    const taken = responses.filter(({ status }) => status === 202);
    expect(new Set(taken.map(({ text }) => text)).size).toBe(1);
    for (const refused of responses.filter(({ status }) => status !== 202)) {
      expectRefusal(refused, 409, 'idempotency_in_progress');
    }
    const repeat = await eventually(async () => {
      const response = await client.post(path, body, key);
      return response.status === 202 ? response : undefined;
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
