import { createHmac } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { readWebhookSecrets } from '../../shared/client/webhook-secrets.dynamo.ts';
import { documentClient, eventually, gateway, gatewayContext } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import {
  type ReceivedPost,
  startWebhookEndpoint,
  verifiedBy,
  type WebhookEndpoint,
} from '../support/webhook/webhook-endpoint.ts';

const { tables } = gateway();
const dynamo = documentClient();
const context = gatewayContext();
const webhookEndpoints: WebhookEndpoint[] = [];
/** It fails at hand-over, so a message to it has one event alone. */
const refused = '+15005550001';

afterEach(async () => {
  await Promise.all(webhookEndpoints.splice(0).map((webhookEndpoint) => webhookEndpoint.close()));
});
afterAll(() => dynamo.destroy());

async function aWebhookEndpoint(): Promise<WebhookEndpoint> {
  const webhookEndpoint = await startWebhookEndpoint();
  webhookEndpoints.push(webhookEndpoint);
  return webhookEndpoint;
}

/** The one webhook of a message that is sent now. */
async function postAfterSend(
  client: TestClient,
  webhookEndpoint: WebhookEndpoint,
  fields = {},
): Promise<ReceivedPost> {
  const messageId = await client.send({ to: refused, ...fields });
  await webhookEndpoint.eventsOnce(messageId, 1);
  const [post] = webhookEndpoint.postsOf(messageId);
  if (post === undefined) throw new Error('nothing was received');
  return post;
}

const plainHolds = ({ bytes, headers }: ReceivedPost, secret: string) =>
  headers['x-webhook-signature'] === createHmac('sha256', secret).update(bytes).digest('hex');

function libraryAccepts(post: ReceivedPost, secret: string): boolean {
  try {
    verifiedBy(new Webhook(secret), post);
    return true;
  } catch {
    return false;
  }
}

const signaturesOf = ({ headers }: ReceivedPost) => String(headers['webhook-signature']).split(' ').length;

/** Sends until a webhook is as wanted: workers remember secrets and URLs for a bounded time. */
const postThat = (
  client: TestClient,
  webhookEndpoint: WebhookEndpoint,
  isWanted: (post: ReceivedPost) => boolean,
) =>
  eventually(
    async () => {
      const post = await postAfterSend(client, webhookEndpoint);
      return isWanted(post) ? post : undefined;
    },
    { everyMilliseconds: 5000 },
  );

describe('the rotation of a webhook secret over the API', () => {
  it('sends only webhooks that the endpoint can verify: before, during, and after', async () => {
    const webhookEndpoint = await aWebhookEndpoint();
    const client = await newClient({ webhookUrl: webhookEndpoint.url });
    const old = client.webhookSecret;

    const before = await postAfterSend(client, webhookEndpoint);
    expect(plainHolds(before, old) && libraryAccepts(before, old)).toBe(true);

    const rotated = await client.call('POST', '/api/v1/account/webhook-secret');
    expect(rotated.status).toBe(200);
    const fresh = String(rotated.body.webhook_secret);
    expect(fresh).not.toBe(old);

    // The old secret signs alone until the new one is active; from then on both.
    const atOnce = await postAfterSend(client, webhookEndpoint);
    expect(plainHolds(atOnce, old) && libraryAccepts(atOnce, old)).toBe(true);
    expect(signaturesOf(atOnce)).toBe(1);
    const during = await postThat(client, webhookEndpoint, (post) => signaturesOf(post) === 2);
    expect(plainHolds(during, old)).toBe(true);
    expect(libraryAccepts(during, old)).toBe(true);
    expect(libraryAccepts(during, fresh)).toBe(true);

    await endOverlap(client.clientId, old);
    // A worker that last signed before the rotation may still know the old one alone, for as long as it remembers.
    const after = await postThat(
      client,
      webhookEndpoint,
      (post) => signaturesOf(post) === 1 && libraryAccepts(post, fresh),
    );
    expect(plainHolds(after, fresh)).toBe(true);
    expect(libraryAccepts(after, old)).toBe(false);

    // To the second of the timestamp: both sign from `active_at` on, and none of them before.
    const activeAt = Math.floor(Date.parse(String(rotated.body.active_at)) / 1000);
    for (const post of webhookEndpoint.posts) {
      const signedAt = Number(post.headers['webhook-timestamp']);
      if (signedAt < activeAt) expect(libraryAccepts(post, fresh)).toBe(false);
      if (signedAt > activeAt) expect(libraryAccepts(post, fresh)).toBe(true);
    }
    // An endpoint with either secret could verify every one of them.
    for (const post of webhookEndpoint.posts) {
      expect([old, fresh].some((secret) => plainHolds(post, secret))).toBe(true);
      expect([old, fresh].some((secret) => libraryAccepts(post, secret))).toBe(true);
    }
  });

  /** Ends the 24 h now: sets the end in the row to the present time. */
  async function endOverlap(clientId: string, old: string): Promise<void> {
    const TableName = tables.client_secrets ?? '';
    const secrets = await readWebhookSecrets(context, clientId);
    const ending = secrets.find(({ secret }) => secret === old);
    const hours = (Date.parse(ending?.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24 + 1 / 60);
    const expired = secrets.map((one) =>
      one.secret === old ? { ...one, expires_at: new Date().toISOString() } : one,
    );
    await dynamo.send(
      new UpdateCommand({
        TableName,
        Key: { client_id: clientId },
        UpdateExpression: 'SET webhook_secrets = :secrets',
        ExpressionAttributeValues: { ':secrets': expired },
      }),
    );
  }
});
