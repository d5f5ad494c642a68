/** Text that SQS would refuse as it is, through the deployed gateway: passed on unchanged, and nobody else's concern. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

/** Non-characters, controls, separators, marks that change direction, and the ends of Unicode's planes. */
const oddCharacters = [
  '\uFFFF',
  '\uFFFE',
  '\uFDD0',
  '\u{1FFFE}',
  '\u{10FFFF}',
  '\u0001',
  '\u007F',
  '\u0085',
  '\u2028',
  '\u202E',
  '\uFEFF',
  'e\u0301',
];

let odd: TestClient;
let other: TestClient;
let webhookEndpoint: WebhookEndpoint;
beforeAll(async () => {
  webhookEndpoint = await startWebhookEndpoint();
  [odd, other] = await Promise.all([newClient(), newClient()]);
});
afterAll(() => webhookEndpoint.close());

it('no odd character in text, reference or webhook URL delays another client, and each is reported as it was sent', async () => {
  const sent = new Map<string, string>();
  for (const character of oddCharacters) {
    const reference = `odd${character}text`;
    const response = await odd.post('/api/v1/sms/send', {
      to: freshNumber(),
      message: `Hello ${character}`,
      reference,
      webhook_url: `${webhookEndpoint.url}?odd=${character}`,
    });
    // What a field does not take is refused as the caller's fault; what is accepted must go through.
    expect([202, 400]).toContain(response.status);
    if (response.status === 202) sent.set(String(response.body.message_id), reference);
  }
  expect([...sent.values()]).toEqual(expect.arrayContaining(['odd\uFFFFtext', 'odd\uFFFEtext']));

  const response = await other.post('/api/v1/sms/send', {
    to: freshNumber(),
    message: 'Hello',
    webhook_url: webhookEndpoint.url,
  });
  await other.statusOnce(response.body.message_id, 'delivered');
  expect(await webhookEndpoint.eventsOnce(String(response.body.message_id), 2)).toEqual([
    'sms.delivered',
    'sms.sent',
  ]);

  for (const [messageId, reference] of sent) {
    expect(await odd.statusOnce(messageId, 'delivered')).toMatchObject({ reference });
    expect(await webhookEndpoint.eventsOnce(messageId, 2)).toEqual(['sms.delivered', 'sms.sent']);
    for (const { bytes } of webhookEndpoint.postsOf(messageId)) {
      const { data } = JSON.parse(bytes.toString()) as { data: { reference: string } };
      expect(data.reference).toBe(reference);
    }
  }
});
