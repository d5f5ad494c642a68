/** A webhook endpoint that its client manages: a row of `webhook-endpoints`, without its secrets (contract, section 12). */
import * as z from 'zod/mini';
import { matchesFilters } from '../../contract/webhook-events.ts';

export const endpointsMax = 10;

const time = z.iso.datetime();

/** Filters and reasons are plain texts, so that a row of a later release can be read. */
export const webhookEndpointSchema = z.readonly(
  z.object({
    client_id: z.string(),
    /** `whe_` and a ULID, so endpoints sort by the time of their creation. */
    endpoint_id: z.string(),
    url: z.string(),
    /** Names of events, `sms.*` or `whatsapp.*`; absent: every event. */
    events: z.exactOptional(z.array(z.string())),
    description: z.exactOptional(z.string()),
    enabled: z.boolean(),
    created_at: time,
    disabled_at: z.exactOptional(time),
    /** `by_client`, or `no_successful_delivery`. */
    disabled_reason: z.exactOptional(z.string()),
    /** Disabled by the gateway, and not yet told. */
    notice_pending: z.exactOptional(z.boolean()),
    /** The first failed attempt since the last success, and how many there were, up to the number that matters. */
    failing_since: z.exactOptional(time),
    failed_attempts: z.exactOptional(z.int()),
    /** Changes with each change by the client, and when the endpoint is disabled; the condition of the next one. */
    revision: z.string(),
  }),
);

export type WebhookEndpoint = z.output<typeof webhookEndpointSchema>;

/** Whether an event that happens now goes to the endpoint. */
export function receives({ enabled, events }: WebhookEndpoint, event: string): boolean {
  return enabled && matchesFilters(event, events);
}

/** The settings of an endpoint, as answers and the activity log show them. */
export function settingsOf({ url, events, description, enabled }: WebhookEndpoint) {
  return { url, events: events ?? null, description: description ?? null, enabled };
}

/** An endpoint as its client sees it. */
export function endpointView(endpoint: WebhookEndpoint) {
  const { endpoint_id, created_at, disabled_at = null, disabled_reason = null } = endpoint;
  return { endpoint_id, ...settingsOf(endpoint), created_at, disabled_at, disabled_reason };
}

/** `null` removes a field; an absent field is not changed. */
export interface EndpointChange {
  readonly url?: string | undefined;
  readonly events?: string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * The row after a change that its client asked for. Enabling it again removes why it was disabled; a new URL is another
 * server, so its failures are counted anew.
 */
export function changed(
  endpoint: WebhookEndpoint,
  change: EndpointChange,
  now: Date,
  revision: string,
): WebhookEndpoint {
  const { events, description, disabled_at, disabled_reason, notice_pending, ...counted } = endpoint;
  const { failing_since: _since, failed_attempts: _attempts, ...rest } = counted;
  const { url = endpoint.url, enabled = endpoint.enabled } = change;
  const disabling = endpoint.enabled && !enabled;
  const isAnew = enabled !== endpoint.enabled || url !== endpoint.url;
  return {
    ...(isAnew ? rest : counted),
    url,
    enabled,
    revision,
    ...fieldOf('events', change.events, events),
    ...fieldOf('description', change.description, description),
    ...(enabled ? {} : fieldOf('disabled_at', disabling ? now.toISOString() : undefined, disabled_at)),
    ...(enabled ? {} : fieldOf('notice_pending', undefined, notice_pending)),
    ...(enabled ? {} : fieldOf('disabled_reason', disabling ? 'by_client' : undefined, disabled_reason)),
  };
}

function fieldOf<Name extends string, Value>(
  name: Name,
  next: Value | null | undefined,
  before: Value | undefined,
): { [key in Name]?: Value } {
  const value = next === undefined ? before : next;
  return (value === undefined || value === null ? {} : { [name]: value }) as { [key in Name]?: Value };
}
