/** The log of a client's webhooks, and sending them again, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentClient, eventually } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { storeFailedDeliveries } from '../support/webhook/failed-webhooks.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

const dynamo = documentClient();
let server: WebhookEndpoint;
let other: TestClient;
beforeAll(async () => {
  [server, other] = await Promise.all([startWebhookEndpoint(), newClient()]);
});
afterAll(async () => {
  dynamo.destroy();
  await server.close();
});

type Listed = Readonly<Record<string, unknown>> & { readonly delivery_id: string };

async function list(client: TestClient, query: string): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  let cursor = '';
  do {
    const response = await client.call('GET', `/api/v1/webhook-deliveries?${query}${cursor}`);
    expect(response.status).toBe(200);
    found.push(...(response.body.webhook_deliveries as Listed[]));
    cursor = response.body.next_cursor === undefined ? '' : `&cursor=${String(response.body.next_cursor)}`;
  } while (cursor !== '');
  return found;
}

const idsOf = (listed: readonly Listed[]) => listed.map(({ delivery_id }) => delivery_id);
const postsOf = (id: string) => server.posts.filter(({ headers }) => headers['webhook-id'] === id);

describe('the log of webhooks', () => {
  it('has every delivery of a message, with its attempts, and finds it by each of its fields', async () => {
    const client = await newClient();
    const endpoint = await client.post('/api/v1/webhook-endpoints', { url: server.url, events: ['sms.*'] });
    const endpointId = String(endpoint.body.endpoint_id);
    const messages = await Promise.all(
      Array.from({ length: 3 }, () =>
        client.post('/api/v1/sms/send', { to: '+447700900123', message: 'Hello', webhook_url: server.url }),
      ),
    );
    const messageIds = messages.map(({ body }) => String(body.message_id));
    const all = await eventually(async () => {
      const listed = await list(client, 'state=acknowledged&limit=100');
      return listed.length === 12 ? listed : undefined;
    });
    expect(new Set(idsOf(all)).size).toBe(12);
    expect(idsOf(await list(client, 'limit=1'))).toEqual(idsOf(all));
    expect(idsOf(await list(client, 'limit=5&state=acknowledged'))).toEqual(idsOf(all));
    for (const messageId of messageIds) {
      const ofMessage = await list(client, `message_id=${messageId}`);
      expect(ofMessage).toHaveLength(4);
      expect(
        ofMessage.every(({ message_id, state }) => message_id === messageId && state === 'acknowledged'),
      ).toBe(true);
    }
    expect(await list(client, `endpoint_id=${endpointId}`)).toHaveLength(6);
    expect(await list(client, 'event=sms.sent')).toHaveLength(6);
    expect(await list(client, `event=sms.sent&endpoint_id=${endpointId}&limit=2`)).toHaveLength(3);
    expect(await list(client, 'state=failed')).toEqual([]);
    expect(await list(client, 'event=webhook_endpoint.disabled')).toEqual([]);
    expect(await list(client, `since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);

    const id = all[0]?.delivery_id ?? '';
    const shown = await client.call('GET', `/api/v1/webhook-deliveries/${id}`);
    expect(shown).toMatchObject({ status: 200, body: { ...all[0] } });
    expect(shown.body.attempt_log).toMatchObject([{ number: 1, trigger: 'automatic', status: 200 }]);
    expect(shown.body.body).toBe(postsOf(id)[0]?.bytes.toString('utf8'));
    const headers = { Authorization: `Bearer ${client.apiKey}` };
    const head = await fetch(`${client.baseUrl}/api/v1/webhook-deliveries/${id}`, {
      method: 'HEAD',
      headers,
    });
    expect([head.status, await head.text()]).toEqual([200, '']);

    // A quick attempt can have ended before the answer.
    const state = expect.stringMatching(/^(pending|acknowledged)$/);
    expect(await client.post(`/api/v1/webhook-deliveries/${id}/resend`, {})).toMatchObject({
      ...{ status: 202, body: { delivery_id: id, state } },
    });
    await eventually(async () => (postsOf(id).length === 2 ? true : undefined));

    const own = [
      `/api/v1/webhook-deliveries/${id}`,
      `/api/v1/webhook-deliveries?message_id=${messageIds[0]}`,
      `/api/v1/webhook-deliveries?endpoint_id=${endpointId}`,
    ];
    for (const theirs of own) expect((await other.call('GET', theirs)).status).toBe(404);
    expect((await other.post(`/api/v1/webhook-deliveries/${id}/resend`, {})).status).toBe(404);
    expect(await list(other, 'limit=100')).toEqual([]);
  });
});

describe('everything that failed', () => {
  it('is listed, and sent again by one request, once each although the request is repeated', async () => {
    const client = await newClient();
    const ids = await storeFailedDeliveries(dynamo, {
      ...{ clientId: client.clientId, url: server.url, count: 60 },
    });
    expect(idsOf(await list(client, 'state=failed&limit=25')).toSorted()).toEqual(ids.toSorted());
    const wanted = {
      origin: new URL(server.url).origin,
      since: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const response = await client.post(`/api/v1/webhook-deliveries/resend`, wanted);
    expect(response.status).toBe(202);
    const again = await client.post(`/api/v1/webhook-deliveries/resend`, wanted);
    expect(again.body.resend_id).toBe(response.body.resend_id);
    const progress = `/api/v1/webhook-deliveries/resend/${String(response.body.resend_id)}`;
    const completed = await eventually(async () => {
      const shown = await client.call('GET', progress);
      return shown.body.status === 'completed' ? shown.body : undefined;
    });
    expect(completed).toMatchObject({ ...wanted, matched: 60, resent: 60, skipped: 0, endpoint_id: null });
    await eventually(async () => (ids.every((id) => postsOf(id).length > 0) ? true : undefined));
    expect(ids.filter((id) => postsOf(id).length !== 1)).toEqual([]);
    expect((await other.call('GET', progress)).status).toBe(404);
    expect(await list(client, 'state=failed')).toEqual([]);
  });
});
