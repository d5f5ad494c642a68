/** A webhook endpoint that its client manages: a row of `webhook-endpoints`, without its secrets (contract, section 12). */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { matchesFilters } from '../contract/webhook-events.ts';
import { acknowledgeWithinSeconds } from '../contract/webhook-worker-times.ts';
import { type AwsDestination, fromArns, resourceArnOf, roleArnOf } from './aws-destination.ts';

export const endpointsMax = 10;

/** The `disabled_reason` if the client disabled the endpoint. */
export const disabledByClient = 'by_client';

/** The values of `disabled_reason` if the gateway disabled the endpoint. `gone`: the endpoint answered 410. */
export const disabledReasons = ['no_successful_delivery', 'gone'] as const;

const time = z.iso.datetime();

/** Filters and reasons are plain strings, so that this release can read values that a later release adds. */
export const webhookEndpointSchema = z.readonly(
  z.object({
    client_id: z.string(),
    /** `whe_` and a ULID, so endpoints sort by creation time. */
    endpoint_id: z.string(),
    url: z.string(),
    /** The role with which the gateway sends to the queue or event bus; absent for a URL. */
    role_arn: z.exactOptional(z.string()),
    /** The selected events, such as `sms.*` or `whatsapp.*`; absent if the endpoint receives every event. */
    events: z.exactOptional(z.array(z.string())),
    description: z.exactOptional(z.string()),
    /** The time limit of a POST; absent for the default, and for a queue or event bus. */
    timeout_seconds: z.exactOptional(z.int()),
    enabled: z.boolean(),
    created_at: time,
    disabled_at: z.exactOptional(time),
    disabled_reason: z.exactOptional(z.string()),
    /** True if the gateway disabled the endpoint and has not yet told the client. */
    notice_pending: z.exactOptional(z.boolean()),
    /**
     * When the first attempt after the last success failed, and how many failed since, counted up to
     * `disabledAfter.attempts`.
     */
    failing_since: z.exactOptional(time),
    failed_attempts: z.exactOptional(z.int()),
    /** Changes when the client changes the endpoint, and when the gateway disables it. */
    revision: z.string(),
  }),
);

export type WebhookEndpoint = z.output<typeof webhookEndpointSchema>;

/**
 * The fields that planning an event needs. Events are planned even for an invalid row, because an operator may correct the
 * row before the last retry.
 */
export const plannedEndpointSchema = z.object({
  endpoint_id: z.string(),
  url: z.catch(z.string(), ''),
  enabled: z.catch(z.boolean(), true),
  events: z.catch(z.optional(z.array(z.string())), undefined),
  timeout_seconds: z.catch(z.optional(z.int()), undefined),
});

export type PlannedEndpoint = z.output<typeof plannedEndpointSchema>;

/** True if an event that happens now goes to the endpoint. */
export function receives(
  { enabled, events }: { readonly enabled: boolean; readonly events?: string[] | undefined },
  event: string,
): boolean {
  return enabled && matchesFilters(event, events);
}

/** True if the endpoint has a longer time limit than the default. The retry queue then posts its first attempts too. */
export function hasLongTimeout({
  timeout_seconds = acknowledgeWithinSeconds,
}: {
  readonly timeout_seconds?: number | undefined;
}): boolean {
  return timeout_seconds > acknowledgeWithinSeconds;
}

/** The destination of an endpoint's webhooks: one of the fields `url`, `sqs` and `eventbridge` of a request. */
export type Destination = { readonly url: string } | AwsDestination;

/** Returns the queue or event bus of an endpoint, or undefined if its webhooks go to a URL. */
export function awsDestinationOf({ url, role_arn }: WebhookEndpoint): AwsDestination | undefined {
  return role_arn === undefined ? undefined : fromArns(url, role_arn);
}

export function destinationFields(destination: Destination) {
  return 'url' in destination
    ? { url: destination.url }
    : { url: resourceArnOf(destination), role_arn: roleArnOf(destination) };
}

/**
 * Returns the row after a client's change. Enabling an endpoint removes its `disabled_reason`. Failures of the old URL do
 * not count for a new URL.
 */
export function changedEndpoint(
  endpoint: WebhookEndpoint,
  change: {
    readonly destination?: Destination | undefined;
    readonly events?: string[] | null | undefined;
    readonly description?: string | null | undefined;
    readonly timeout_seconds?: number | null | undefined;
    readonly enabled?: boolean | undefined;
  },
  now: Date,
  revision: string,
): WebhookEndpoint {
  const { role_arn, events, description, timeout_seconds, disabled_at, disabled_reason, ...others } =
    endpoint;
  const { notice_pending, ...counted } = others;
  const { failing_since: _since, failed_attempts: _attempts, ...rest } = counted;
  const { enabled = endpoint.enabled } = change;
  const destination =
    change.destination === undefined
      ? { url: endpoint.url, ...fieldOf('role_arn', undefined, role_arn) }
      : destinationFields(change.destination);
  const disabling = endpoint.enabled && !enabled;
  const at = now.toISOString();
  return {
    ...(resetsFailures(endpoint, { enabled, ...destination }) ? rest : counted),
    ...destination,
    enabled,
    revision,
    ...fieldOf('events', change.events, events),
    ...fieldOf('description', change.description, description),
    ...('role_arn' in destination ? {} : fieldOf('timeout_seconds', change.timeout_seconds, timeout_seconds)),
    ...(enabled ? {} : fieldOf('disabled_at', disabling ? at : undefined, disabled_at)),
    ...(enabled ? {} : fieldOf('notice_pending', undefined, notice_pending)),
    ...(enabled ? {} : fieldOf('disabled_reason', disabling ? disabledByClient : undefined, disabled_reason)),
  };
}

/**
 * Returns the fields of the row that a change writes; undefined removes a field. A change never sets the count of failures,
 * which belongs to the worker. It removes the count if the URL or the state changes.
 */
export function changedFields(
  seen: WebhookEndpoint,
  next: WebhookEndpoint,
): Partial<Record<keyof WebhookEndpoint, unknown>> {
  const names = Object.keys({ ...seen, ...next }) as (keyof WebhookEndpoint)[];
  const differing = names.filter((name) => !isDeepStrictEqual(seen[name], next[name]));
  const isElsewhere = differing.includes('url') || differing.includes('role_arn');
  return {
    ...Object.fromEntries(differing.map((name) => [name, next[name]])),
    // URL and role are written together: two simultaneous changes must not mix the URL of one and the role of the other.
    ...(isElsewhere ? { url: next.url, role_arn: next.role_arn } : {}),
    ...(resetsFailures(seen, next) ? { failing_since: undefined, failed_attempts: undefined } : {}),
    ...(next.enabled && !seen.enabled ? { notice_pending: undefined } : {}),
  };
}

/** True if the change resets the count of failures, because the failures belong to an earlier URL or state. */
function resetsFailures(
  before: WebhookEndpoint,
  after: { readonly enabled: boolean; readonly url: string },
): boolean {
  return after.enabled !== before.enabled || after.url !== before.url;
}

function fieldOf<Name extends string, Value>(
  name: Name,
  next: Value | null | undefined,
  before: Value | undefined,
): { [key in Name]?: Value } {
  const value = next === undefined ? before : next;
  return (value === undefined || value === null ? {} : { [name]: value }) as { [key in Name]?: Value };
}
