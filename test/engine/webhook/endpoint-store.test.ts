import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueWebhookSecret } from '../../../shared/client/client-admin.ts';
import { readWebhookSecrets, replaceWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import {
  addEndpointFailure,
  clearEndpointFailures,
  disableEndpoint,
  noteNoticeSent,
  readEndpoint,
  removeEndpoint,
  storeEndpoint,
  updateEndpointRow,
  webhookEndpointsOf,
} from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { changedEndpoint, endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';
import { losingResponses } from '../../support/engine/lost-responses.ts';
import { createTables } from '../../support/engine/tables.ts';
import { type TestContext, testContext, withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_endpoints', 'client_secrets']);
});
afterAll(() => tables.drop());

let clients = 0;
const aClient = () => `client-${++clients}`;
const aNewEndpoint = (client_id: string) => anEndpoint({ client_id, endpoint_id: newId('whe', new Date()) });
const secret = { secret: 'whsec_Zmlyc3Q=', created_at: created.toISOString() };

describe.each([
  ['in memory', () => testContext()],
  ['in the table', () => testContext(tables)],
])('endpoints %s', (_where, newContext) => {
  let context: TestContext;
  beforeAll(() => {
    context = { ...newContext(), clock: () => created };
  });

  it('are at most ten of a client, exactly, however many are created at once', async () => {
    const [clientId, other] = [aClient(), aClient()];
    const wanted = Array.from({ length: 2 * endpointsMax }, () => aNewEndpoint(clientId));
    // In waves, as more at once would only wait for each other.
    const results: boolean[] = [];
    for (let first = 0; first < wanted.length; first += 5)
      results.push(
        ...(await Promise.all(
          wanted.slice(first, first + 5).map((one) => storeEndpoint(context, one, secret)),
        )),
      );
    expect(results.filter(Boolean)).toHaveLength(endpointsMax);
    const stored = await webhookEndpointsOf(context, clientId);
    expect(stored).toEqual(
      wanted
        .filter((_, index) => results[index])
        .toSorted((a, b) => (a.endpoint_id < b.endpoint_id ? -1 : 1)),
    );

    expect(await storeEndpoint(context, aNewEndpoint(other), secret)).toBe(true);
    expect(await removeEndpoint(context, clientId, stored[0]?.endpoint_id ?? '')).toBe(true);
    expect(await storeEndpoint(context, aNewEndpoint(clientId), secret)).toBe(true);
    expect(await storeEndpoint(context, aNewEndpoint(clientId), secret)).toBe(false);
  });

  it('are found by client and id only, and gone once deleted', async () => {
    const endpoint = aNewEndpoint(aClient());
    const { client_id, endpoint_id } = endpoint;
    await storeEndpoint(context, endpoint, secret);
    expect(await readEndpoint(context, client_id, endpoint_id)).toEqual(endpoint);
    expect(await readEndpoint(context, aClient(), endpoint_id)).toBeUndefined();
    expect(await removeEndpoint(context, aClient(), endpoint_id)).toBe(false);
    expect(await removeEndpoint(context, client_id, endpoint_id)).toBe(true);
    expect(await removeEndpoint(context, client_id, endpoint_id)).toBe(false);
    expect(await webhookEndpointsOf(context, client_id)).toEqual([]);
  });

  it('take every change that is made at the same moment, each in its own fields', async () => {
    const endpoint = { ...aNewEndpoint(aClient()), events: ['sms.*'], description: 'orders' };
    const { client_id, endpoint_id } = endpoint;
    await storeEndpoint(context, endpoint, secret);
    const disabled = changedEndpoint(endpoint, { events: null, enabled: false }, created, 'second');
    const moved = changedEndpoint(
      endpoint,
      { destination: { url: 'https://late.example.com' } },
      created,
      'late',
    );
    const { events: _events, ...rest } = endpoint;
    const both = {
      ...rest,
      enabled: false,
      disabled_at: created.toISOString(),
      disabled_reason: 'by_client',
      url: 'https://late.example.com',
      revision: 'late',
    };
    expect(await updateEndpointRow(context, endpoint, disabled)).toEqual({
      ...both,
      url: rest.url,
      revision: 'second',
    });
    // The SDK repeats it where a response was lost.
    await updateEndpointRow(context, endpoint, disabled);
    expect(await updateEndpointRow(context, endpoint, moved)).toEqual(both);
    expect(await readEndpoint(context, client_id, endpoint_id)).toEqual(both);
    const enabled = changedEndpoint(both, { enabled: true }, created, 'third');
    expect(await updateEndpointRow(context, both, enabled)).toEqual({
      ...rest,
      url: both.url,
      revision: 'third',
    });
    await removeEndpoint(context, client_id, endpoint_id);
    expect(await updateEndpointRow(context, both, enabled)).toBeUndefined();
    expect(await readEndpoint(context, client_id, endpoint_id)).toBeUndefined();
  });

  it('have the whole destination of the later of two changes at the same moment', async () => {
    const arn = (name: string) => `arn:aws:sqs:eu-west-1:111122223333:${name}`;
    const role = { role_arn: 'arn:aws:iam::111122223333:role/webhooks' };
    const url = { url: 'https://b.example.com' };
    const queue = (name: string) => ({ sqs: { queue_arn: arn(name), ...role } });
    const pairs = [
      [{}, queue('one'), url],
      [{}, url, queue('one')],
      [{ url: arn('one'), ...role }, url, queue('two')],
      [{ url: arn('one'), ...role }, queue('two'), url],
    ] as const;
    for (const [before, earlier, later] of pairs) {
      const endpoint = { ...aNewEndpoint(aClient()), ...before };
      await storeEndpoint(context, endpoint, secret);
      const [first, second] = [earlier, later].map((destination, index) =>
        changedEndpoint(endpoint, { destination }, created, `revision ${index}`),
      );
      if (first === undefined || second === undefined) throw new Error('two changes');
      await updateEndpointRow(context, endpoint, first);
      expect(await updateEndpointRow(context, endpoint, second)).toEqual(second);
    }
  });

  it('keep when and why the gateway disabled them, where their client disables them at the same moment', async () => {
    const endpoint = aNewEndpoint(aClient());
    await storeEndpoint(context, endpoint, secret);
    const failing = await addEndpointFailure(context, endpoint);
    if (failing === undefined) throw new Error('not counted');
    const by = {
      disabled_at: created.toISOString(),
      disabled_reason: 'no_successful_delivery',
      revision: 'x',
    };
    await disableEndpoint(context, failing, by);
    const late = changedEndpoint(failing, { enabled: false }, addSeconds(created, 1), 'second');
    const { failing_since: _since, failed_attempts: _attempts, ...rest } = failing;
    const next = { ...rest, ...by, revision: 'second', enabled: false, notice_pending: true };
    expect(await updateEndpointRow(context, failing, late)).toEqual(next);
    // A change of other fields that read the row before does not enable it.
    const described = changedEndpoint(endpoint, { description: 'x' }, created, 'third');
    expect(await updateEndpointRow(context, endpoint, described)).toEqual({
      ...next,
      description: 'x',
      revision: 'third',
    });
  });

  it('count failures until a success, and are disabled only if they failed all the time', async () => {
    const endpoint = aNewEndpoint(aClient());
    const { client_id, endpoint_id } = endpoint;
    await storeEndpoint(context, endpoint, secret);
    const since = created.toISOString();
    const first = await addEndpointFailure(context, endpoint);
    expect(first).toEqual({ ...endpoint, failing_since: since, failed_attempts: 1 });
    const failing = await addEndpointFailure({ ...context, clock: () => addSeconds(created, 60) }, endpoint);
    expect(failing).toEqual({ ...endpoint, failing_since: since, failed_attempts: 2 });
    if (failing === undefined) throw new Error('not counted');
    // A change that leaves the URL alone keeps the count, though it read the row before.
    const renamed = changedEndpoint(failing, { description: 'x' }, created, 'second');
    await addEndpointFailure(context, endpoint);
    expect(await updateEndpointRow(context, failing, renamed)).toEqual({ ...renamed, failed_attempts: 3 });
    // Nor does one that read the row before the first failure.
    const early = changedEndpoint(endpoint, { description: 'y' }, created, 'early');
    expect(await updateEndpointRow(context, endpoint, early)).toMatchObject({
      failing_since: since,
      failed_attempts: 3,
    });

    const by = {
      disabled_at: since,
      disabled_reason: 'no_successful_delivery',
      revision: 'third',
    };
    await clearEndpointFailures(context, endpoint);
    expect(await disableEndpoint(context, failing, by)).toBeUndefined();
    const again = await addEndpointFailure(context, endpoint);
    if (again === undefined) throw new Error('not counted');
    const disabled = await disableEndpoint(context, again, by);
    // Who enables it in the console finds no failures counted.
    const { failing_since: _since, failed_attempts: _attempts, ...rest } = again;
    const uncounted = { ...rest, ...by, enabled: false };
    expect(disabled).toEqual({ ...uncounted, notice_pending: true });
    // A write that is repeated after a lost response is recognised; that of another worker is not its own.
    expect(await disableEndpoint(context, again, by)).toEqual(disabled);
    expect(await disableEndpoint(context, again, { ...by, revision: 'of another worker' })).toBeUndefined();
    expect(await addEndpointFailure(context, endpoint)).toBeUndefined();
    await noteNoticeSent(context, { ...again, ...by });
    expect(await readEndpoint(context, client_id, endpoint_id)).toEqual(uncounted);
  });
});

it('a failure is counted once, also where the response of its write is lost', async () => {
  const endpoint = aNewEndpoint(aClient());
  const context = testContext(tables);
  await storeEndpoint(context, endpoint, secret);
  const { dynamo, lost } = losingResponses(() => true);
  const losing = { ...context, db: dynamo };
  await expect(addEndpointFailure(losing, endpoint)).rejects.toThrow('must not be repeated');
  dynamo.destroy();
  expect(lost()).toBe(1);
  expect(await readEndpoint(context, endpoint.client_id, endpoint.endpoint_id)).toMatchObject({
    failed_attempts: 1,
  });
});

describe('the secrets of endpoints', () => {
  it('are not found where the endpoint is deleted between the read and the write of a rotation', async () => {
    const context = testContext(tables);
    const endpoint = aNewEndpoint(aClient());
    await storeEndpoint(context, endpoint, secret);
    const { client_id, endpoint_id } = endpoint;
    const deletedMeanwhile = withCalls(context, async ({ operation, input }, run) => {
      if (operation === 'Update' && input.TableName === tables.names.client_secrets)
        await removeEndpoint(context, client_id, endpoint_id);
      return run();
    });
    const rotating = { ...deletedMeanwhile, random: randomBytes };
    await expect(issueWebhookSecret(rotating, client_id, endpoint_id, () => created)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readWebhookSecrets(context, client_id, endpoint_id)).toEqual([]);
  });

  it('are made with their endpoint, rotate apart from the account’s, and go with it', async () => {
    const context = testContext(tables);
    const one = aNewEndpoint(aClient());
    const { client_id, endpoint_id } = one;
    const account = [{ secret: 'whsec_YWNjb3VudA==', created_at: created.toISOString() }];
    await replaceWebhookSecrets(context, client_id, [], account);
    const neighbour = aNewEndpoint(client_id);
    await storeEndpoint(context, one, secret);
    await storeEndpoint(context, neighbour, { ...secret, secret: 'whsec_b3RoZXI=' });

    const rotating = { ...context, random: (size: number) => Buffer.alloc(size, 7) };
    const rotated = await issueWebhookSecret(rotating, client_id, endpoint_id, () => created);
    expect(await readWebhookSecrets(context, client_id, endpoint_id)).toMatchObject([
      { secret: rotated?.secret, active_at: '2026-11-20T10:01:00.000Z' },
      { secret: secret.secret, expires_at: '2026-11-21T10:01:00.000Z' },
    ]);
    expect(await readWebhookSecrets(context, client_id)).toEqual(account);
    expect(await readWebhookSecrets(context, client_id, neighbour.endpoint_id)).toMatchObject([
      { secret: 'whsec_b3RoZXI=' },
    ]);

    await removeEndpoint(context, client_id, endpoint_id);
    expect(await readWebhookSecrets(context, client_id, endpoint_id)).toEqual([]);
    await expect(issueWebhookSecret(rotating, client_id, endpoint_id, () => created)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readWebhookSecrets(context, client_id, neighbour.endpoint_id)).toHaveLength(1);
  });
});
