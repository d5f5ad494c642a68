/** An endpoint that acknowledges nothing for five days in twenty attempts is disabled, and its client told (contract 12.5). */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import { countResult, disabledAfter } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { changed, type WebhookEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import type { AroundCall } from '../../support/simulation/direct-database.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const failed = { error: 'not_200' } as Attempt;
const failing = anEndpoint({
  endpoint_id: 'whe_failing',
  failing_since: created.toISOString(),
  failed_attempts: disabledAfter.attempts,
});

/** The endpoint beside two others, after an attempt at it, and the sweep. */
async function afterAttempt(
  endpoint: WebhookEndpoint,
  {
    days = disabledAfter.days + 1,
    attempt = failed,
    around,
  }: { days?: number; attempt?: Attempt; around?: AroundCall } = {},
) {
  let now = addDays(created, days);
  const queued: DeliveryEntry[] = [];
  const tables = inMemoryTables(around === undefined ? {} : { around });
  const stores = inMemoryStores(tables);
  const { endpoints, dueItemIndex } = stores;
  const dependencies = {
    ...stores,
    queue: {
      async send(_queue: unknown, sent: readonly DeliveryEntry[]) {
        await around?.({ operation: 'send', input: {} }, () => ({}));
        queued.push(...sent);
      },
    },
    accountUrlOf: async () => undefined,
    setAside: neverSetAside,
    clock: () => now,
    warn: () => undefined,
    newRevision: () => `revision at ${now.toISOString()}`,
    ...{ retentionDays: 30, budgetMs: 1000 },
  };
  await endpoints.create(endpoint, secret);
  await endpoints.create(anEndpoint({ endpoint_id: 'whe_other' }), secret);
  await endpoints.create(anEndpoint({ endpoint_id: 'whe_sms', events: ['sms.*'] }), secret);
  await countResult(dependencies, endpoint, attempt);
  return {
    ...{ endpoints, tables, queued, dueItemIndex },
    async sweepAfter(seconds: number) {
      now = addSeconds(now, seconds);
      return (await sweep(dependencies)).failures;
    },
    stored: () => endpoints.get(endpoint.client_id, endpoint.endpoint_id),
    entries: () => tables.rows('activity_log'),
    left: () =>
      dueItemIndex
        .all()
        .flatMap(({ ids }) => ids)
        .filter((id) => id.startsWith('disabled#')),
  };
}

/** After it the endpoint is disabled, and every success before its last failure is counted. */
const graceSeconds = 920;
/** After it a failed review is repeated. */
const repeatSeconds = 1000;

it.each(['activity_log', 'webhook_deliveries', 'send', 'nowhere'])(
  'is disabled, and the other endpoint that takes the notice gets it once, by a sweep that died at %s',
  async (dying) => {
    let isDying = dying !== 'nowhere';
    const worker = await afterAttempt(failing, {
      around({ operation, input }, run) {
        if (!isDying || (operation !== dying && (input.TableName !== dying || operation !== 'PutItem')))
          return run();
        isDying = false;
        throw new Error('the sweep died');
      },
    });
    if (isDying) {
      expect(await worker.sweepAfter(graceSeconds)).toHaveLength(1);
      expect(await worker.stored()).toMatchObject({ enabled: false, notice_pending: true });
    }
    expect(await worker.sweepAfter(repeatSeconds)).toEqual([]);
    const { notice_pending, disabled_reason, ...stored } = (await worker.stored()) ?? failing;
    expect([stored.enabled, disabled_reason, notice_pending]).toEqual([
      false,
      'no_successful_delivery',
      undefined,
    ]);
    expect(worker.entries()).toMatchObject([
      { kind: expect.stringMatching(/^webhook_endpoint_disabled/), at: stored.disabled_at },
    ]);
    const rows = worker.tables.rows('webhook_deliveries');
    expect(rows).toMatchObject([{ event: 'webhook_endpoint.disabled', endpoint_id: 'whe_other' }]);
    expect(JSON.parse(String(rows[0]?.body))).toEqual({
      event: 'webhook_endpoint.disabled',
      timestamp: stored.disabled_at,
      data: {
        ...{ endpoint_id: failing.endpoint_id, url: failing.url, client_id: failing.client_id },
        ...{ disabled_at: stored.disabled_at, reason: 'no_successful_delivery' },
      },
    });
    expect(
      new Set(worker.queued.map(({ message }) => 'delivery_id' in message && message.delivery_id)).size,
    ).toBe(1);
    expect(worker.left()).toEqual([]);
    await worker.sweepAfter(60);
    expect(worker.entries()).toHaveLength(1);
  },
);

it.each<[string, Partial<WebhookEndpoint>, number, object]>([
  ['within five days', {}, 4.9, { failed_attempts: 20 }],
  ['in nineteen attempts', { failed_attempts: 18 }, 6, { failed_attempts: 19 }],
])('is not disabled for failures %s', async (_case, more, days, counted) => {
  const worker = await afterAttempt({ ...failing, ...more }, { days });
  await worker.sweepAfter(graceSeconds);
  expect(await worker.stored()).toMatchObject({ enabled: true, ...counted });
});

it('is not disabled before a success had time to be counted, nor after it is', async () => {
  const worker = await afterAttempt(failing);
  await worker.sweepAfter(100);
  expect(await worker.stored()).toMatchObject({ enabled: true });
  await worker.endpoints.clearFailures(failing);
  await worker.sweepAfter(graceSeconds);
  expect(await worker.stored()).toMatchObject({ enabled: true });
  expect([worker.queued, worker.entries(), worker.left()]).toEqual([[], [], []]);
});

it('is not said to be disabled where its client enabled it again before', async () => {
  let isDying = true;
  const worker = await afterAttempt(failing, {
    around({ input }, run) {
      if (isDying && input.TableName === 'activity_log') throw new Error('the sweep died');
      return run();
    },
  });
  await worker.sweepAfter(graceSeconds);
  isDying = false;
  const seen = (await worker.stored()) ?? failing;
  await worker.endpoints.change(seen, changed(seen, { enabled: true }, created, 'enabled'));
  await worker.sweepAfter(repeatSeconds);
  expect([worker.entries(), worker.queued]).toEqual([[], []]);
});

it('has five days and twenty attempts again where a person enables it in the console', async () => {
  const worker = await afterAttempt(failing, { days: 8 });
  await worker.sweepAfter(graceSeconds);
  const { client_id, endpoint_id } = failing;
  await worker.tables.dynamo.send(
    new UpdateCommand({
      TableName: worker.tables.names.webhook_endpoints,
      Key: { client_id, endpoint_id },
      UpdateExpression: 'SET enabled = :yes',
      ExpressionAttributeValues: { ':yes': true },
    }),
  );
  const { endpoints, dueItemIndex } = worker;
  const enabled = (await worker.stored()) ?? failing;
  const now = addDays(created, 9);
  await countResult({ endpoints, dueItemIndex, clock: () => now }, enabled, failed);
  expect(worker.left()).toEqual([]);
  expect(await worker.stored()).toMatchObject({ failing_since: now.toISOString(), failed_attempts: 1 });
});

it('that is enabled again, or gets another URL, is counted again from zero', () => {
  const at = created.toISOString();
  const disabled = {
    ...failing,
    enabled: false,
    disabled_at: at,
    disabled_reason: 'no_successful_delivery' as const,
  };
  const { failing_since, failed_attempts, ...rest } = failing;
  const revision = 'second';
  expect(changed(disabled, { enabled: true }, created, revision)).toEqual({ ...rest, revision });
  const url = 'https://other.example.com';
  expect(changed(failing, { destination: { url } }, created, revision)).toEqual({ ...rest, url, revision });
  const description = 'x';
  expect(changed(failing, { description }, created, revision)).toEqual({ ...failing, description, revision });
});

it('that succeeds costs no write, unless failures were counted: then they are cleared although a call fails', async () => {
  for (const counted of [false, true]) {
    let writes = 0;
    const workers = webhookWorkers({
      answer: () => ({ afterMs: 50, status: 200 }),
      around({ operation, input }, run) {
        if (operation !== 'UpdateItem' || input.TableName !== 'webhook_endpoints') return run();
        writes += 1;
        if (writes === 1) throw new Error('throttled');
        return run();
      },
    });
    const { failing_since, failed_attempts, ...healthy } = failing;
    await workers.endpoints.create(counted ? failing : healthy, secret);
    const { webhook_url: _url, ...sent } = aSentMessage();
    writes = 0;
    await workers.relay({ before: aMessage(), after: sent });
    await workers.run(300);
    expect(workers.posts).toHaveLength(1);
    const { client_id, endpoint_id } = failing;
    expect(await workers.endpoints.get(client_id, endpoint_id)).not.toHaveProperty('failing_since');
    expect(writes).toBe(counted ? 2 : 0);
  }
});
