/**
 * An endpoint that acknowledges nothing for five days in twenty attempts, or answers 410, is disabled, and its client told
 * (contract 12.5).
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addDays } from '../../../shared/platform/clock.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import {
  countResult,
  disabledAfter,
  disableIfFailing,
} from '../../../shared/webhook/deliver/disable-endpoint.ts';
import {
  clearEndpointFailures,
  readEndpoint,
  storeEndpoint,
  updateEndpointRow,
} from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { changedEndpoint, type WebhookEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { strictSqs } from '../../support/engine/strict-sqs.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import type { AroundCall } from '../../support/simulation/direct-database.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { webhookWorkers } from '../../support/webhook/webhook-workers.ts';

interface QueuedWebhook {
  readonly message: Readonly<Record<string, string>>;
  readonly delaySeconds: number | undefined;
}

const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const failed = { error: 'not_200' } as Attempt;
const answeredGone = { error: 'not_200', status: 410 } as Attempt;
const failing = anEndpoint({
  endpoint_id: 'whe_failing',
  failing_since: created.toISOString(),
  failed_attempts: disabledAfter.attempts,
});

/** The endpoint beside two others, after an attempt at it, and the worker that reviews it. */
async function afterAttempt(
  endpoint: WebhookEndpoint,
  {
    days = disabledAfter.days + 1,
    attempt = failed,
    around,
    sqsFault = () => undefined,
  }: { days?: number; attempt?: Attempt; around?: AroundCall; sqsFault?: () => Error | undefined } = {},
) {
  const now = addDays(created, days);
  const notices: QueuedWebhook[] = [];
  const reviews: QueuedWebhook[] = [];
  const tables = inMemoryTables(around === undefined ? {} : { around });
  const sqs = strictSqs({
    deliver(_queue, { MessageBody = '', DelaySeconds }) {
      const message = JSON.parse(MessageBody);
      ('failing_endpoint_id' in message ? reviews : notices).push({ message, delaySeconds: DelaySeconds });
    },
    fault: () => sqsFault(),
  });
  const context = testContext(tables, { clock: () => now, sqs: () => sqs });
  await storeEndpoint(context, endpoint, secret);
  await storeEndpoint(context, anEndpoint({ endpoint_id: 'whe_other' }), secret);
  await storeEndpoint(context, anEndpoint({ endpoint_id: 'whe_sms', events: ['sms.*'] }), secret);
  await countResult(context, endpoint, attempt);
  return {
    ...{ tables, notices, reviews, context },
    /** As the worker that receives the endpoint from the queue. */
    review: () =>
      disableIfFailing(context, endpoint.client_id, endpoint.endpoint_id, reviews[0]?.message.gone),
    stored: () => readEndpoint(context, endpoint.client_id, endpoint.endpoint_id),
    entries: () => tables.rows('activity_log'),
  };
}

const { failing_since: _since, failed_attempts: _attempts, ...healthy } = failing;

it.each([
  ...['activity_log', 'webhook_deliveries', 'send', 'nowhere'].map(
    (dying) => ['no_successful_delivery', dying] as const,
  ),
  ['gone', 'activity_log'] as const,
  ['gone', 'nowhere'] as const,
])(
  'is disabled for %s, and the other endpoint that takes the notice gets it once, by a worker that died at %s',
  async (reason, dying) => {
    const isGone = reason === 'gone';
    let isReviewed = false;
    let isDying = dying !== 'nowhere';
    const dies = () => {
      isDying = false;
      return new Error('the worker died');
    };
    const worker = await afterAttempt(isGone ? healthy : failing, {
      ...(isGone ? { attempt: answeredGone } : {}),
      around({ operation, input }, run) {
        if (!isDying || input.TableName !== dying || operation !== 'PutItem') return run();
        throw dies();
      },
      sqsFault: () => (isDying && dying === 'send' && isReviewed ? dies() : undefined),
    });
    isReviewed = true;
    expect(worker.reviews).toMatchObject([
      {
        message: { failing_endpoint_id: 'whe_failing', ...(isGone ? { gone: healthy.revision } : {}) },
        delaySeconds: isGone ? 0 : 900,
      },
    ]);
    if (isDying) {
      await expect(worker.review()).rejects.toThrow('the worker died');
      expect(await worker.stored()).toMatchObject({ enabled: false, notice_pending: true });
    }
    await worker.review();
    const { notice_pending, disabled_reason, ...stored } = (await worker.stored()) ?? failing;
    expect([stored.enabled, disabled_reason, notice_pending]).toEqual([false, reason, undefined]);
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
        ...{ disabled_at: stored.disabled_at, reason },
      },
    });
    expect(
      new Set(worker.notices.map(({ message }) => 'delivery_id' in message && message.delivery_id)).size,
    ).toBe(1);
    await worker.review();
    expect(worker.entries()).toHaveLength(1);
  },
);

it.each<[string, Partial<WebhookEndpoint>, number, object]>([
  ['within five days', {}, 4.9, { failed_attempts: 20 }],
  ['in nineteen attempts', { failed_attempts: 18 }, 6, { failed_attempts: 19 }],
])('is not disabled for failures %s', async (_case, more, days, counted) => {
  const worker = await afterAttempt({ ...failing, ...more }, { days });
  await worker.review();
  expect(worker.reviews).toEqual([]);
  expect(await worker.stored()).toMatchObject({ enabled: true, ...counted });
});

it('is not disabled if a success is counted in the meantime', async () => {
  const worker = await afterAttempt(failing);
  await clearEndpointFailures(worker.context, failing);
  await worker.review();
  expect(await worker.stored()).toMatchObject({ enabled: true });
  expect([worker.notices, worker.entries()]).toEqual([[], []]);
});

it('is not disabled by a 410 if its client has changed its URL in the meantime', async () => {
  const worker = await afterAttempt(healthy, { attempt: answeredGone });
  const destination = { url: 'https://other.example.com' };
  await updateEndpointRow(
    worker.context,
    healthy,
    changedEndpoint(healthy, { destination }, created, 'moved'),
  );
  await worker.review();
  expect(await worker.stored()).toMatchObject({ enabled: true, ...destination });
  expect([worker.notices, worker.entries()]).toEqual([[], []]);
});

it('is not said to be disabled where its client enabled it again before', async () => {
  let isDying = true;
  const worker = await afterAttempt(failing, {
    around({ input }, run) {
      if (isDying && input.TableName === 'activity_log') throw new Error('the worker died');
      return run();
    },
  });
  await expect(worker.review()).rejects.toThrow('the worker died');
  isDying = false;
  const seen = (await worker.stored()) ?? failing;
  await updateEndpointRow(worker.context, seen, changedEndpoint(seen, { enabled: true }, created, 'enabled'));
  await worker.review();
  expect([worker.entries(), worker.notices]).toEqual([[], []]);
});

it('has five days and twenty attempts again where a person enables it in the console', async () => {
  const worker = await afterAttempt(failing, { days: 8 });
  await worker.review();
  const { client_id, endpoint_id } = failing;
  await worker.tables.dynamo.send(
    new UpdateCommand({
      TableName: worker.tables.names.webhook_endpoints,
      Key: { client_id, endpoint_id },
      UpdateExpression: 'SET enabled = :yes',
      ExpressionAttributeValues: { ':yes': true },
    }),
  );
  const enabled = (await worker.stored()) ?? failing;
  const now = addDays(created, 9);
  await countResult({ ...worker.context, clock: () => now }, enabled, failed);
  expect(worker.reviews).toHaveLength(1);
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
  expect(changedEndpoint(disabled, { enabled: true }, created, revision)).toEqual({ ...rest, revision });
  const url = 'https://other.example.com';
  expect(changedEndpoint(failing, { destination: { url } }, created, revision)).toEqual({
    ...rest,
    url,
    revision,
  });
  const description = 'x';
  expect(changedEndpoint(failing, { description }, created, revision)).toEqual({
    ...failing,
    description,
    revision,
  });
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
    await storeEndpoint(workers, counted ? failing : healthy, secret);
    const { webhook_url: _url, ...sent } = aSentMessage();
    writes = 0;
    await workers.relay({ before: aMessage(), after: sent });
    await workers.run(300);
    expect(workers.posts).toHaveLength(1);
    const { client_id, endpoint_id } = failing;
    expect(await readEndpoint(workers, client_id, endpoint_id)).not.toHaveProperty('failing_since');
    expect(writes).toBe(counted ? 2 : 0);
  }
});
