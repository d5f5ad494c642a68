/** A client sends only to the countries and from the senders that it may, by every one of the sends. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

describe('countries and senders', () => {
  it('are 403 where the client may not use them, and where the country takes no such sender', async () => {
    const limited = await newClient({ countries: ['GB'], senders: ['FREENAME'] });
    const path = '/api/v1/sms/send';
    const send = (by: TestClient, body: object) => by.post(path, { message: 'x', ...body });
    expectRefusal(await send(limited, { to: '+33612345678' }), 403, 'forbidden');
    expectRefusal(await send(limited, { to: freshNumber(), from: 'OTHER' }), 403, 'forbidden');
    expect((await send(limited, { to: freshNumber(), from: 'FREENAME' })).status).toBe(202);
    expectRefusal(await send(limited, { to: freshNumber() }), 403, 'forbidden');
    expectRefusal(await limited.post('/api/v1/otp/send', { to: freshNumber() }), 403, 'forbidden');
    const text = { to: freshNumber(), message: 'x' };
    expectRefusal(await limited.post('/api/v1/whatsapp/send', text), 403, 'forbidden');
    const unnamed = { message: 'x', recipients: [freshNumber()] };
    expectRefusal(await limited.post('/api/v1/sms/bulk', unnamed), 403, 'forbidden');
    expectRefusal(await send(client, { to: '+12025550123', from: 'FREENAME' }), 403, 'forbidden');
    expectRefusal(await send(client, { to: '+14165550123', from: 'FREENAME' }), 403, 'forbidden');
    expect((await send(client, { to: '+12025550123', from: '+12025550100' })).status).toBe(202);
    expectRefusal(await limited.post('/api/v1/otp/send', { to: '+33612345678' }), 403, 'forbidden');
    const whatsapp = { to: '+33612345678', message: 'x' };
    expectRefusal(await limited.post('/api/v1/whatsapp/send', whatsapp), 403, 'forbidden');
    const bulk = await limited.post('/api/v1/sms/bulk', {
      message: 'x',
      from: 'FREENAME',
      recipients: [freshNumber(), '+33612345678'],
    });
    expect(bulk.body).toMatchObject({ accepted: 1, errors: [{ index: 1, error: 'forbidden' }] });
  });
});
