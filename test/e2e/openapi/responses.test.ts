import { beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { dynamoOutbox } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { setClientDisabled } from '../../../shared/client/client-admin.ts';
import { baseUrlMarker } from '../../../shared/contract/api.ts';
import { Api } from '../../check/api.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';

let api: Api;

beforeAll(async () => {
  api = await Api.at(await newClient({ name: 'Responses', limits: 'default' }));
});

// Each call is held against the document; these reach what HTTP alone can't.
describe('responses of the deployed gateway, as its document says them', () => {
  it('are held against the document that it serves', () => {
    const made = JSON.stringify(openApiDocument()).replaceAll(baseUrlMarker, gateway().base_url);
    expect(api.document.document).toEqual(JSON.parse(made));
  });

  it('verifies a one-time password once', async () => {
    const to = freshNumber();
    const sent = await api.call('POST', '/api/v1/otp/send', { body: { to } });
    const outbox = dynamoOutbox(documentClient(), gateway().tables.simulator_outbox ?? '', 1);
    const text = await eventually(async () => (await outbox.page({ to }, { limit: 1 })).entries[0]?.body);
    const code = /\d{6}/.exec(text)?.[0];
    const body = { otp_id: sent.body.otp_id, code };
    const verified = await api.call('POST', '/api/v1/otp/verify', { body });
    expect([verified.status, verified.body.verified]).toEqual([200, true]);
    const again = await api.call('POST', '/api/v1/otp/verify', { body });
    expect([again.status, again.body.error]).toEqual([409, 'otp_already_used']);
  });

  it('shows every state that the simulated carrier can bring a message to', async () => {
    const ends = {
      '+447700900322': 'delivered',
      '+15005550001': 'failed',
      '+15005550002': 'failed',
      '+15005550003': 'expired',
    };
    for (const [to, status] of Object.entries(ends)) {
      const sent = await api.call('POST', '/api/v1/sms/send', { body: { to, message: 'Hi' } });
      const path = `/api/v1/sms/status/${String(sent.body.message_id)}`;
      const reached = eventually(
        async () => {
          const { body } = await api.call('GET', path);
          return body.status === status ? body : undefined;
        },
        { everyMilliseconds: 400 },
      );
      expect(await reached).toMatchObject({ status });
    }
  });

  it('shows a new webhook secret', async () => {
    const { status, body } = await api.call('POST', '/api/v1/account/webhook-secret');
    expect([status, String(body.webhook_secret).slice(0, 6)]).toEqual([200, 'whsec_']);
  });

  it('refuses a disabled client, and one without the scope', async () => {
    const disabled = await newClient({ name: 'Disabled', limits: 'default' });
    await setClientDisabled(dynamoClientAdmin(documentClient(), gateway().tables), disabled.clientId, true);
    const headers = { Authorization: `Bearer ${disabled.apiKey}` };
    const refused = await api.call('GET', '/api/v1/account', { as: 'nobody', headers });
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden']);
    const { client_id, client_secret } = gateway().admin;
    const admin = await Api.at({
      baseUrl: gateway().base_url,
      clientId: client_id,
      clientSecret: client_secret,
    });
    const unscoped = await admin.call('GET', '/api/v1/account');
    expect([unscoped.status, unscoped.body.error]).toEqual([403, 'forbidden']);
    expect(unscoped.headers.get('www-authenticate')).toContain('insufficient_scope');
  });
});
