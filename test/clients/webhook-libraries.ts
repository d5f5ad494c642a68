/**
 * Other people's libraries for Python accept what an endpoint receives: before, during and after a rotation of its secret,
 * test events included. Those for TypeScript are in test/e2e/webhook-endpoints.test.ts.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dynamoWebhookSecretStore } from '../../shared/client/webhook-secrets.dynamo.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { type ReceivedPost, startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import type { Steps } from './steps.ts';
import { at, made, pythonWith, run } from './tools.ts';

const path = '/api/v1/webhook-endpoints';

export async function webhookLibrarySteps({ step }: Steps): Promise<void> {
  await step('svix and standardwebhooks for Python verify every webhook of a rotation', async () => {
    const { before, during, after, secrets } = await postsOfRotation();
    const cases = [before, during, after].flatMap((posts) =>
      posts.flatMap(({ bytes, headers }) =>
        secrets.map((secret) => ({ body: bytes.toString('utf8'), headers, secret })),
      ),
    );
    const python = await pythonWith(join(import.meta.dirname, 'requirements.txt'));
    const file = join(made, 'endpoint-webhooks.json');
    await writeFile(file, JSON.stringify(cases));
    const { stdout } = await run(python, [join(import.meta.dirname, 'webhook_libraries.py'), file], at(made));
    const byBoth = (isAccepted: boolean) => [isAccepted, isAccepted];
    // By the old secret and the new one: of a test event, then of an event of a message.
    const expected = [
      ...[byBoth(true), byBoth(false), byBoth(true), byBoth(false)],
      ...[byBoth(true), byBoth(true), byBoth(true), byBoth(true)],
      ...[byBoth(false), byBoth(true), byBoth(false), byBoth(true)],
    ];
    assert.deepEqual(JSON.parse(stdout), expected);
  });
}

/** At each time a test event and an event of a message. */
async function postsOfRotation() {
  const server = await startWebhookEndpoint();
  const dynamo = documentClient();
  try {
    const client = await newClient({ name: 'Libraries' });
    const created = await client.post(path, { url: server.url });
    const [id, old] = [String(created.body.endpoint_id), String(created.body.secret)];
    const posts = async (): Promise<readonly ReceivedPost[]> => {
      const test = await client.post(`${path}/${id}/test`, {});
      const messageId = await client.send({});
      const ofTest = await eventually(async () =>
        server.posts.find(({ headers }) => headers['webhook-id'] === test.body.delivery_id),
      );
      const ofMessage = await eventually(async () => server.postsOf(messageId)[0]);
      return [ofTest, ofMessage];
    };
    const before = await posts();
    const rotated = await client.call('POST', `${path}/${id}/secret`);
    const fresh = String(rotated.body.secret);
    await pause(Math.max(0, Date.parse(String(rotated.body.active_at)) - Date.now()) + 1000);
    const during = await posts();
    // Ends the 24 hours now; workers know the secrets for a minute at most.
    const store = dynamoWebhookSecretStore(dynamo, gateway().tables.client_secrets ?? '');
    const seen = await store.find(client.clientId, id);
    const ended = seen.filter(({ secret }) => secret !== old);
    assert.ok(await store.replace(client.clientId, seen, ended, id));
    const after = await eventually(async () => {
      const some = await posts();
      return some.every(({ headers }) => String(headers['webhook-signature']).split(' ').length === 1)
        ? some
        : undefined;
    });
    return { before, during, after, secrets: [old, fresh] };
  } finally {
    dynamo.destroy();
    await server.close();
  }
}
