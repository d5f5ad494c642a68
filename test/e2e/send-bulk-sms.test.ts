/** The contract’s examples of `sms/bulk` over HTTP, on the deployed gateway: the batch, its rows and its refusals. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal, idOf, inSeconds, time } from '../support/http/expected-responses.ts';

let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  [client, stranger] = await Promise.all([newClient(), newClient()]);
});

describe('POST /api/v1/sms/bulk', () => {
  const path = '/api/v1/sms/bulk';

  it('answers 202 with the example’s fields; the batch and each message can be looked up', async () => {
    const to = freshNumber();
    const response = await client.post(path, {
      message: 'Hello {{name}}',
      recipients: [{ to, variables: { name: 'Ann' }, reference: 'r1' }, '+33'],
    });
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
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
    const [message] = response.body.messages as { message_id: string }[];
    await client.statusOnce(message?.message_id, 'delivered');
    const batch = await client.call('GET', `/api/v1/sms/status/${String(response.body.batch_id)}`);
    expect(batch.body).toEqual({
      batch_id: response.body.batch_id,
      total: 2,
      accepted: 1,
      rejected: 1,
      counts: { delivered: 1 },
      created_at: time,
    });
    expect((await outboxOnce(to, 1)).map((entry) => entry.body)).toEqual(['Hello Ann']);
    const foreign = await stranger.call('GET', `/api/v1/sms/status/${String(response.body.batch_id)}`);
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
