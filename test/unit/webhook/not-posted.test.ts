/** What is not posted: without a secret, to an endpoint that cannot be read, or that was disabled meanwhile (contract 7.9, 7.12). */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import {
  removeEndpoint,
  storeEndpoint,
  updateEndpointRow,
} from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { resendDelivery } from '../../../shared/webhook/log/request-resend.ts';
import { changedEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { type Answer, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const answers = (): Answer => ({ afterMs: 50, status: 200 });
const endpoint = anEndpoint();
const { webhook_url: _url, ...queued } = aMessage();
const { webhook_url: _sameUrl, ...sent } = aSentMessage();
const ofEndpoints = { before: queued, after: sent };

it('a webhook whose client has a malformed row of secrets is posted once the row is corrected', async () => {
  const workers = webhookWorkers({ answer: answers });
  await workers.writeSecrets(aMessage().client_id, [{ ...secret, secret: 5 }]);
  await workers.relay();
  workers.at(60, () => workers.writeSecrets(aMessage().client_id, [secret]));
  await workers.run(8 * 3600);
  const { state, attempts } = await workers.delivery();
  expect([state, attempts.map(({ error }) => error)]).toEqual(['acknowledged', [undefined]]);
  expect(workers.posts).toHaveLength(1);
});

it.each([{ enabled: 'true' }, { url: 7 }, { url: '' }, { events: 'sms.sent' }, { created_at: 5 }])(
  'the webhooks of an endpoint whose row is %j for four minutes come afterwards',
  async (wrong) => {
    for (const sentAfterSeconds of [1, 120]) {
      const workers = webhookWorkers({
        answer: (_posted, number) => ({ afterMs: 50, status: number <= 2 ? 500 : 200 }),
      });
      const { dynamo, names } = workers.tables;
      const put = (row: object) =>
        dynamo.send(new PutCommand({ TableName: names.webhook_endpoints, Item: { ...row } }));
      await storeEndpoint(workers, endpoint, secret);
      workers.at(sentAfterSeconds, () => workers.relay(ofEndpoints));
      workers.at(60, () => put({ ...endpoint, ...wrong }));
      workers.at(300, () => put(endpoint));
      await workers.run(86_400);
      const { state, attempts } = await workers.delivery();
      expect(attempts.map(({ error }) => error)).not.toContain('endpoint_deleted');
      expect(state).toBe('acknowledged');
    }
  },
);

const switched = anEndpoint({ endpoint_id: 'whe_01KAG00000000000000000000A' });

/** As the client does. */
function switchTo(workers: ReturnType<typeof webhookWorkers>, enabled: boolean) {
  const seen = { ...switched, enabled: !enabled };
  return updateEndpointRow(workers, seen, changedEndpoint(seen, { enabled }, workers.clock(), `${enabled}`));
}

it.each(['disabled', 'deleted'] as const)(
  'a webhook that its queue lost is not posted where its endpoint is %s before its review',
  async (change) => {
    const workers = webhookWorkers({ answer: answers, loses: (index) => index === 0 });
    await storeEndpoint(workers, switched, secret);
    await workers.relay(ofEndpoints);
    workers.at(20, () =>
      change === 'disabled'
        ? switchTo(workers, false)
        : removeEndpoint(workers, switched.client_id, switched.endpoint_id),
    );
    await workers.run(3600);
    expect(workers.posts).toEqual([]);
    const { state, attempts } = await workers.delivery();
    expect([state, attempts.map(({ error }) => error)]).toEqual([
      change === 'disabled' ? 'skipped' : 'failed',
      [`endpoint_${change}`],
    ]);
    expect(workers.failuresReported).toEqual([]);
    expect(workers.tables.rows('activity_log')).toHaveLength(change === 'disabled' ? 0 : 1);
  },
);

it('an event of a disabled endpoint is kept, and a resend delivers it once the endpoint is enabled', async () => {
  const workers = webhookWorkers({ answer: answers });
  await storeEndpoint(workers, switched, secret);
  await switchTo(workers, false);
  await workers.relay(ofEndpoints);
  await workers.relay(ofEndpoints);
  await workers.run(86_400);
  const kept = await workers.delivery();
  expect(kept).toMatchObject({ state: 'skipped', attempts: [], finished_at: created.toISOString() });
  expect(kept).not.toHaveProperty('due_at');
  expect([workers.posts, workers.delays, workers.tables.rows('activity_log')]).toEqual([[], [], []]);
  await switchTo(workers, true);
  await resendDelivery(workers, kept.delivery_id, 'client-a');
  await workers.run(60);
  expect(workers.posts).toMatchObject([{ deliveryId: kept.delivery_id, body: kept.body }]);
  expect((await workers.delivery()).state).toBe('acknowledged');
});
