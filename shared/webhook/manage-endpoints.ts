/** A client's operations on its webhook endpoints, with the schemas of their requests (contract, section 12). */
import * as z from 'zod/mini';
import { addActivity, recordActivity } from '../activity/write-activity.dynamo.ts';
import { newWebhookSecret } from '../client/client.ts';
import { issueWebhookSecret, secretRotationBody } from '../client/client-admin.ts';
import type { ActivityKind } from '../contract/activity-kinds.ts';
import { errorTexts, GatewayError, invalidFields, standardError } from '../contract/errors.ts';
import { eventFilters, type MessageEventName, messageEventNames } from '../contract/webhook-events.ts';
import { timeoutSeconds } from '../contract/webhook-worker-times.ts';
import { optional } from '../operation/fields.ts';
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
import { type awsDestinationSchemas, fromArns } from './aws-destination.ts';
import { createDeliveries, type WebhookContext } from './delivery-store.dynamo.ts';
import {
  readEndpoint,
  removeEndpoint,
  storeEndpoint,
  updateEndpointRow,
  webhookEndpointsOf,
} from './endpoint-store.dynamo.ts';
import { testEvent } from './plan-deliveries.ts';
import {
  changedEndpoint,
  type Destination,
  destinationFields,
  endpointsMax,
  type WebhookEndpoint,
} from './webhook-endpoint.ts';
import type { WebhookEndpointView } from './webhook-response.schema.ts';

const descriptionCharactersMax = 256;

/** Removes duplicate event names. */
const events = z.nullable(
  z.pipe(
    z.array(z.enum(eventFilters)).check(z.minLength(1), z.maxLength(eventFilters.length)),
    z.transform((names) => [...new Set(names)]),
  ),
);

const description = z.nullable(z.string().check(z.minLength(1), z.maxLength(descriptionCharactersMax)));

const timeLimit = z.nullable(z.int().check(z.gte(timeoutSeconds.min), z.lte(timeoutSeconds.max)));
const timeLimitOfAws = 'applies only to a url: queues and event buses have no time limit';

/** The schemas of destinations: the URLs, queues and event buses to which this deployment may send. */
type DestinationSchemas = ReturnType<typeof awsDestinationSchemas> & {
  readonly url: z.ZodMiniType<string>;
};

const destinationNames = ['url', 'sqs', 'eventbridge'] as const;

type RequestedSettings = Parameters<typeof requestedDestination>[0] & {
  readonly timeout_seconds?: number | null | undefined;
};

function oneDestination(numberMin: 0 | 1) {
  return z.superRefine((given: RequestedSettings, context) => {
    const named = destinationNames.filter((name) => given[name] !== undefined && given[name] !== null);
    const [, second] = named;
    const issue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (second !== undefined)
      issue(second, 'is one destination too many: name one of url, sqs and eventbridge');
    else if (named.length < numberMin) issue('url', 'is required, unless sqs or eventbridge is given');
    if (given.timeout_seconds && (given.sqs || given.eventbridge)) issue('timeout_seconds', timeLimitOfAws);
  });
}

/** Returns undefined if the request names none. */
export function requestedDestination({
  url,
  sqs,
  eventbridge,
}: {
  readonly url?: string | undefined;
  readonly sqs?: { readonly queue_arn: string; readonly role_arn: string } | undefined;
  readonly eventbridge?: { readonly bus_arn: string; readonly role_arn: string } | undefined;
}): Destination | undefined {
  if (sqs) return { sqs };
  if (eventbridge) return { eventbridge };
  return url ? { url } : undefined;
}

function settingFields({ url, sqs, eventbridge }: DestinationSchemas) {
  return {
    url: optional(url),
    sqs: optional(sqs),
    eventbridge: optional(eventbridge),
    events: z.optional(events),
    description: z.optional(description),
    timeout_seconds: z.optional(timeLimit),
  };
}

/** Returns the schema of a new endpoint. Null means the same as an absent field. */
export function newEndpointSchema(destinations: DestinationSchemas) {
  return z.object(settingFields(destinations)).check(oneDestination(1));
}

/**
 * Returns the schema of a change. Null in `events` selects every event, null in `description` removes the text, and null in
 * `timeout_seconds` selects the default. An absent field is not changed.
 */
export function endpointChangeSchema(destinations: DestinationSchemas) {
  return z
    .object({ ...settingFields(destinations), enabled: optional(z.boolean()) })
    .check(oneDestination(0));
}

export const testRequestSchema = z.object({ event: optional(z.enum(messageEventNames)) });

/** The context of the function that serves a client's webhook endpoints. */
export type EndpointsContext = WebhookContext &
  Context<'CLIENT_SECRETS_TABLE'> & {
    readonly random: (size: number) => Buffer;
    readonly destinations: DestinationSchemas;
  };

const notCached = { 'Cache-Control': 'no-store' };

export function createEndpoint(context: EndpointsContext): Operation {
  const schema = newEndpointSchema(context.destinations);
  return async (request) => {
    const { clientId } = requireCaller(request);
    const { events, description, timeout_seconds, ...given } = parseBody(schema, request);
    const destination = requestedDestination(given);
    if (destination === undefined) throw new Error('the schema requires a destination');
    // This check refuses the request before anything is written. `storeEndpoint` then counts exactly. `storeEndpoint`
    // counts exactly.
    if ((await webhookEndpointsOf(context, clientId)).length >= endpointsMax) throw tooManyEndpoints();
    const now = context.clock();
    const created_at = now.toISOString();
    const endpoint: WebhookEndpoint = {
      client_id: clientId,
      endpoint_id: newId('whe', now),
      ...destinationFields(destination),
      ...(events ? { events } : {}),
      ...(description ? { description } : {}),
      ...(timeout_seconds ? { timeout_seconds } : {}),
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
    if (given.timeout_seconds && change.destination === undefined && seen.role_arn !== undefined) {
      throw invalidFields([{ field: 'timeout_seconds', message: timeLimitOfAws }]);
    }
    const wanted = changedEndpoint(seen, change, context.clock(), context.newId());
    const next = await changeEndpoint(context, seen, wanted);
    return { status: 200, body: endpointView(next), log: { endpoint_id: next.endpoint_id } };
  };
}

/** @returns the endpoint after this change and any simultaneous changes */
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

/** Deletes the endpoint. Its unfinished deliveries fail at their next attempt. */
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

/** Returns the new secret, which no later request returns. The previous secret still signs during the overlap. */
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
  context: WebhookContext,
  {
    actor,
    clientId,
    endpointId,
    event,
  }: {
    readonly actor: string;
    readonly clientId: string;
    readonly endpointId: string;
    /** The event to send. The default is an event that the endpoint receives. */
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

/** @throws GatewayError `not_found` if the endpoint does not belong to the caller. */
function ownEndpoint(context: WebhookContext, request: ApiRequest): Promise<WebhookEndpoint> {
  const { clientId } = requireCaller(request);
  return endpointOfClient(context, clientId, request.pathParameters.endpoint_id ?? '');
}

async function endpointOfClient(
  context: WebhookContext,
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
  context: WebhookContext,
  { client_id: clientId, endpoint_id }: WebhookEndpoint,
  {
    verb,
    ...change
  }: {
    readonly kind: ActivityKind;
    /** The verb in the summary of the activity entry, such as `deleted`. */
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

/** Returns the settings of an endpoint for responses and the activity log. */
function endpointSettings({ url, role_arn, events, description, timeout_seconds, enabled }: WebhookEndpoint) {
  const destination = role_arn === undefined ? { url } : fromArns(url, role_arn);
  return {
    ...destination,
    events: events ?? null,
    description: description ?? null,
    timeout_seconds: role_arn === undefined ? (timeout_seconds ?? timeoutSeconds.min) : null,
    enabled,
  };
}

export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointView {
  const { endpoint_id, created_at, disabled_at = null, disabled_reason = null } = endpoint;
  return { endpoint_id, ...endpointSettings(endpoint), created_at, disabled_at, disabled_reason };
}
