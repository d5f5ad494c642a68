/** What an endpoint is, from its request and its changes: destination, filter, and what it takes (contract 12.1). */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import {
  createClient,
  issueWebhookSecret,
  rotateWebhookSecret,
} from '../../../shared/client/client-admin.ts';
import { readWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import {
  endpointDisabledEvent,
  eventFilters,
  messageEventNames,
} from '../../../shared/contract/webhook-events.ts';
import { parseFields } from '../../../shared/operation/operation.ts';
import { awsDestinationSchemas } from '../../../shared/webhook/aws-destination.ts';
import { storeEndpoint } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import {
  endpointChangeSchema,
  newEndpointSchema,
  requestedDestination,
  testRequestSchema,
} from '../../../shared/webhook/manage-endpoints.ts';
import { testEvent } from '../../../shared/webhook/plan-deliveries.ts';
import { changedEndpoint, receives } from '../../../shared/webhook/webhook-endpoint.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { accessTo } from '../../support/gateway/access.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const own = awsDestinationSchemas({ GATEWAY_PARTITION: 'aws', GATEWAY_ACCOUNT: '999999999999' });
const destinations = { url: z.string(), ...own };
const role_arn = 'arn:aws:iam::123456789012:role/r';
const sqs = { queue_arn: 'arn:aws:sqs:eu-west-1:123456789012:webhooks', role_arn };

it.each([
  { url: 'https://a.example', sqs: null, eventbridge: null },
  { url: null, sqs, eventbridge: null },
])('a new endpoint at %j has one destination: null is none', (given) => {
  const { url, ...named } = given;
  const expected = url === null ? { sqs: named.sqs } : { url };
  expect(requestedDestination(parseFields(newEndpointSchema(destinations), given))).toEqual(expected);
});

it('nulls change nothing, and name neither a destination nor an event', () => {
  const none = { url: null, sqs: null, eventbridge: null, enabled: null };
  expect(() => parseFields(newEndpointSchema(destinations), none)).toThrow('url');
  const given = parseFields(endpointChangeSchema(destinations), none);
  const endpoint = anEndpoint({ description: 'ours' });
  const change = { ...given, destination: requestedDestination(given) };
  expect(changedEndpoint(endpoint, change, created, endpoint.revision)).toEqual(endpoint);
  expect(parseFields(testRequestSchema, { event: null }).event).toBeUndefined();
});

it.each([
  [5, true],
  [10, true],
  [null, true],
  [4, false],
  [11, false],
  [7.5, false],
])('a time limit of %s s is taken: %s, and never for a queue', (timeout_seconds, isTaken) => {
  for (const schema of [newEndpointSchema(destinations), endpointChangeSchema(destinations)]) {
    expect(schema.safeParse({ url: 'https://a.example', timeout_seconds }).success).toBe(isTaken);
    expect(schema.safeParse({ sqs, timeout_seconds }).success).toBe(timeout_seconds === null);
  }
});

it('a time limit is kept by a new URL, and not by a queue', () => {
  const endpoint = anEndpoint({ timeout_seconds: 10 });
  const limitAfter = (change: Parameters<typeof changedEndpoint>[1]) =>
    changedEndpoint(endpoint, change, created, 'second').timeout_seconds;
  const after = [
    { destination: { url: 'https://b.example' } },
    { timeout_seconds: null },
    { destination: { sqs } },
  ];
  expect(after.map(limitAfter)).toEqual([10, undefined, undefined]);
});

it('a name that a filter repeats is stored once', () => {
  const events = ['sms.sent', 'sms.*', 'sms.sent'];
  for (const schema of [newEndpointSchema(destinations), endpointChangeSchema(destinations)]) {
    const parse = (given: unknown) => schema.parse({ url: 'https://a.example', events: given }).events;
    expect([parse(events), parse(null)]).toEqual([['sms.sent', 'sms.*'], null]);
  }
});

it.each(eventFilters)('an endpoint that takes %s only gets that, and a test event of it', (filter) => {
  const endpoint = anEndpoint({ events: [filter] });
  const isMeant = (name: string) =>
    name === filter || (filter.endsWith('.*') && name.startsWith(filter.slice(0, -1)));
  for (const name of messageEventNames)
    expect([name, receives(endpoint, name)]).toEqual([name, isMeant(name)]);
  const expected = filter === endpointDisabledEvent ? 'sms.delivered' : filter.replace('*', 'delivered');
  const { event, body } = testEvent(endpoint, undefined, created);
  expect(event).toBe(expected);
  const timestamp = created.toISOString();
  expect(JSON.parse(body)).toMatchObject({ event: expected, timestamp, data: { test: true } });
});

it('a test event of an opt-out has what a real one has', () => {
  const endpoint = anEndpoint({ events: ['recipient.opted_out'] });
  const { data } = JSON.parse(testEvent(endpoint, undefined, created).body);
  const { client_id } = endpoint;
  expect(data).toMatchObject({ client_id, recipient: '+447700900123', channel: 'sms', source: 'keyword' });
});

describe('a list of secrets that a person emptied has a new one after a rotation', () => {
  const clock = () => created;
  const { tables, context } = inMemoryStores();
  const { admin } = accessTo(tables, created);
  const empty = (client_id: string, list: string, names?: Record<string, string>) =>
    tables.dynamo.send(
      new UpdateCommand({
        TableName: tables.names.client_secrets,
        Key: { client_id },
        UpdateExpression: `SET ${list} = :none`,
        ExpressionAttributeValues: { ':none': [] },
        ExpressionAttributeNames: names,
      }),
    );

  it.each(['live', 'test'] as const)('of a client, %s', async (mode) => {
    const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, created);
    const clientId = clientIdIn(mode, client.client_id);
    await empty(clientId, 'webhook_secrets');
    const { secret } = await rotateWebhookSecret(admin, clientId, clock);
    expect(await readWebhookSecrets(admin, clientId)).toMatchObject([{ secret }]);
  });

  it('of an endpoint, and of no endpoint that is not there', async () => {
    const { client_id, endpoint_id } = anEndpoint();
    const first = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
    await storeEndpoint(context, anEndpoint(), first);
    await empty(client_id, 'endpoint_secrets.#endpoint', { '#endpoint': endpoint_id });
    const { secret } = await issueWebhookSecret(admin, client_id, endpoint_id, clock);
    expect(await readWebhookSecrets(admin, client_id, endpoint_id)).toMatchObject([{ secret }]);
    for (const clientId of [client_id, 'client-without-endpoints'])
      await expect(issueWebhookSecret(admin, clientId, 'whe_deleted', clock)).rejects.toMatchObject({
        code: 'not_found',
      });
  });
});
