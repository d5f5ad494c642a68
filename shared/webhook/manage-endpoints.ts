/** A client's operations on its webhook endpoints (contract, section 12). */
import * as z from 'zod/mini';
import { addActivity, recordActivity } from '../activity/write-activity.dynamo.ts';
import { newWebhookSecret, type RandomBytes } from '../client/client.ts';
import { issueWebhookSecret, secretRotationBody } from '../client/client-admin.ts';
import type { ActivityKind } from '../contract/activity-kinds.ts';
import { errorTexts, GatewayError, standardError } from '../contract/errors.ts';
import type { MessageEventName } from '../contract/webhook-events.ts';
import {
  type ApiRequest,
  type Operation,
  parseBody,
  parseOptionalBody,
  parseQuery,
  requireCaller,
} from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { isId, newId } from '../platform/ids.ts';
import { fromArns } from './aws-destination.ts';
import { createDeliveries, type StoredDeliveries } from './create-deliveries.ts';
import {
  readEndpoint,
  removeEndpoint,
  storeEndpoint,
  updateEndpointRow,
  webhookEndpointsOf,
} from './endpoint-store.dynamo.ts';
import { testEvent } from './test-event.ts';
import {
  changedEndpoint,
  type DestinationSchemas,
  destinationFields,
  endpointChangeSchema,
  endpointsMax,
  newEndpointSchema,
  requestedDestination,
  testRequestSchema,
  type WebhookEndpoint,
} from './webhook-endpoint.ts';
import type { WebhookEndpointView } from './webhook-response.schema.ts';

type TestContext = StoredDeliveries & Context<'WEBHOOK_ENDPOINTS_TABLE' | 'ACTIVITY_LOG_TABLE'>;

/** The context of the function that serves a client's webhook endpoints. */
export type EndpointsContext = TestContext &
  Context<'CLIENT_SECRETS_TABLE'> & {
    readonly random: RandomBytes;
    readonly destinations: DestinationSchemas;
  };

const notCached = { 'Cache-Control': 'no-store' };

export function createEndpoint(context: EndpointsContext): Operation {
  const schema = newEndpointSchema(context.destinations);
  return async (request) => {
    const { clientId } = requireCaller(request);
    const { events, description, ...given } = parseBody(schema, request);
    const destination = requestedDestination(given);
    if (destination === undefined) throw new Error('the schema requires a destination');
    // Refused before anything is recorded; `storeEndpoint` counts exactly.
    if ((await webhookEndpointsOf(context, clientId)).length >= endpointsMax) throw tooManyEndpoints();
    const now = context.clock();
    const created_at = now.toISOString();
    const endpoint: WebhookEndpoint = {
      client_id: clientId,
      endpoint_id: newId('whe', now),
      ...destinationFields(destination),
      ...(events ? { events } : {}),
      ...(description ? { description } : {}),
      enabled: true,
      created_at,
      revision: context.newId(),
    };
    const after = endpointSettings(endpoint);
    await recordChange(context, endpoint, { kind: 'webhook_endpoint_created', verb: 'created', after });
    const secret = newWebhookSecret(context.random);
    const first = { secret, created_at, active_at: created_at };
    if (!(await storeEndpoint(context, endpoint, first))) throw tooManyEndpoints();
    return {
      status: 201,
      headers: notCached,
      body: { ...endpointView(endpoint), secret },
      log: { endpoint_id: endpoint.endpoint_id },
    };
  };
}

export function listOwnEndpoints(context: EndpointsContext): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    parseQuery(z.object({}), request);
    const found = await webhookEndpointsOf(context, clientId);
    return { status: 200, body: { webhook_endpoints: found.map(endpointView) } };
  };
}

export function getEndpoint(context: EndpointsContext): Operation {
  return async (request) => ({ status: 200, body: endpointView(await ownEndpoint(context, request)) });
}

export function updateEndpoint(context: EndpointsContext): Operation {
  const schema = endpointChangeSchema(context.destinations);
  return async (request) => {
    const given = parseBody(schema, request);
    const change = { ...given, destination: requestedDestination(given) };
    const seen = await ownEndpoint(context, request);
    const wanted = changedEndpoint(seen, change, context.clock(), context.newId());
    const next = await changeEndpoint(context, seen, wanted);
    return { status: 200, body: endpointView(next), log: { endpoint_id: next.endpoint_id } };
  };
}

/** @returns the endpoint afterwards, including simultaneous changes by other requests */
async function changeEndpoint(
  context: EndpointsContext,
  seen: WebhookEndpoint,
  wanted: WebhookEndpoint,
): Promise<WebhookEndpoint> {
  const [before, after] = differences(endpointSettings(seen), endpointSettings(wanted));
  if (Object.keys(after).length === 0) return seen;
  const kind = 'webhook_endpoint_changed';
  await recordChange(context, seen, { kind, verb: 'changed', before, after });
  const next = await updateEndpointRow(context, seen, wanted);
  if (next === undefined) throw standardError('not_found');
  return next;
}

/** Deliveries that are not finished yet fail at their next attempt. */
export function deleteEndpoint(context: EndpointsContext): Operation {
  return async (request) => {
    const endpoint = await ownEndpoint(context, request);
    const { client_id, endpoint_id } = endpoint;
    const before = endpointSettings(endpoint);
    await recordChange(context, endpoint, { kind: 'webhook_endpoint_deleted', verb: 'deleted', before });
    if (!(await removeEndpoint(context, client_id, endpoint_id))) throw standardError('not_found');
    return { status: 200, body: { endpoint_id, deleted: true }, log: { endpoint_id } };
  };
}

/** Returns the new secret, this once. The previous one signs for the overlap. */
export function rotateOwnEndpointSecret(context: EndpointsContext): Operation {
  return async (request) => {
    const { overlap_hours } = parseOptionalBody(secretRotationBody, request);
    const endpoint = await ownEndpoint(context, request);
    const { client_id, endpoint_id } = endpoint;
    const { clock } = context;
    const kind = 'webhook_endpoint_secret_rotated';
    const rotated = await issueWebhookSecret(context, client_id, endpoint_id, clock, overlap_hours, () =>
      recordChange(context, endpoint, { kind, verb: 'made a new secret for' }),
    );
    return {
      status: 200,
      headers: notCached,
      body: {
        endpoint_id,
        secret: rotated.secret,
        created_at: rotated.created_at,
        active_at: rotated.active_at,
        previous_secret_expires_at: rotated.previous_expires_at ?? null,
      },
      log: { endpoint_id },
    };
  };
}

export function testOwnEndpoint(context: EndpointsContext): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const { endpoint_id = '' } = request.pathParameters;
    const { event } = parseOptionalBody(testRequestSchema, request);
    const test = { actor: clientId, clientId, endpointId: endpoint_id, event };
    const queued = await sendTestEvent(context, test);
    return { status: 202, body: queued, log: queued };
  };
}

/**
 * Sends a test event to an endpoint, for the client and for administrators.
 *
 * @throws GatewayError `not_found` or `endpoint_disabled`
 */
export async function sendTestEvent(
  context: TestContext,
  {
    actor,
    clientId,
    endpointId,
    event,
  }: {
    readonly actor: string;
    readonly clientId: string;
    readonly endpointId: string;
    /** The event to send; by default an event that the endpoint receives. */
    readonly event?: MessageEventName | undefined;
  },
): Promise<{ delivery_id: string; endpoint_id: string }> {
  const endpoint = await endpointOfClient(context, clientId, endpointId);
  if (!endpoint.enabled) throw standardError('endpoint_disabled');
  const now = context.clock();
  const planned = testEvent(endpoint, event, now);
  await addActivity(context, {
    entry_id: newId('act', now),
    kind: 'webhook_test_sent',
    at: now.toISOString(),
    summary: `${actor} sent the test event ${planned.event} to the webhook endpoint ${endpoint.endpoint_id}`,
    client_id: clientId,
    delivery_id: planned.delivery_id,
    actor,
  });
  await createDeliveries(context, [planned]);
  return { delivery_id: planned.delivery_id, endpoint_id: endpoint.endpoint_id };
}

/** @throws GatewayError `not_found` if the endpoint is not the caller's. */
function ownEndpoint(context: TestContext, request: ApiRequest): Promise<WebhookEndpoint> {
  const { clientId } = requireCaller(request);
  return endpointOfClient(context, clientId, request.pathParameters.endpoint_id ?? '');
}

async function endpointOfClient(
  context: TestContext,
  clientId: string,
  endpointId: string,
): Promise<WebhookEndpoint> {
  const endpoint = isId('whe', endpointId) ? await readEndpoint(context, clientId, endpointId) : undefined;
  if (endpoint === undefined) throw standardError('not_found');
  return endpoint;
}

type Fields = Readonly<Record<string, unknown>>;

function differences(before: Fields, after: Fields): readonly [Fields, Fields] {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (fields: Fields): Fields => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return [only(before), only(after)];
}

async function recordChange(
  context: TestContext,
  { client_id: clientId, endpoint_id }: WebhookEndpoint,
  {
    verb,
    ...change
  }: {
    readonly kind: ActivityKind;
    /** The verb for the entry's summary: what the client did with the endpoint. */
    readonly verb: string;
    readonly before?: Fields;
    readonly after?: Fields;
  },
): Promise<void> {
  const summary = `${clientId} ${verb} the webhook endpoint ${endpoint_id}`;
  await recordActivity(context, clientId, {
    ...change,
    summary,
    clientId,
  });
}

function tooManyEndpoints(): GatewayError {
  return new GatewayError('endpoint_limit_reached', errorTexts.endpoint_limit_reached(endpointsMax));
}

/** Returns the settings of an endpoint, as responses and the activity log show them. */
function endpointSettings({ url, role_arn, events, description, enabled }: WebhookEndpoint) {
  const destination = role_arn === undefined ? { url } : fromArns(url, role_arn);
  return { ...destination, events: events ?? null, description: description ?? null, enabled };
}

export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointView {
  const { endpoint_id, created_at, disabled_at = null, disabled_reason = null } = endpoint;
  return { endpoint_id, ...endpointSettings(endpoint), created_at, disabled_at, disabled_reason };
}
