/** The activity log: changes and failures that an operator can look up later. */
import * as z from 'zod/mini';

/**
 * The dashboard names each in `dashboard/pages/activity/activity.tsx`; its overview reads some, in
 * `shared/admin/attention.ts`.
 */
export const activityKinds = [
  'webhook_failed',
  'webhook_resent',
  'webhooks_resent',
  'entry_refused',
  'client_created',
  'client_disabled',
  'client_enabled',
  'client_secret_rotated',
  'client_secret_ended',
  'webhook_secret_rotated',
  'webhook_url_changed',
  'webhook_endpoint_created',
  'webhook_endpoint_changed',
  'webhook_endpoint_deleted',
  'webhook_endpoint_disabled',
  'webhook_endpoint_secret_rotated',
  'webhook_test_sent',
  'permissions_changed',
  'api_key_created',
  'api_key_revoked',
  'limits_set',
  'limits_removed',
  'sender_set',
  'sender_removed',
  'spend_cap_nearly_reached',
  'spend_cap_reached',
  'otp_held',
  'otp_allowed',
  'inbound_unassigned',
  'suppression_changed',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/**
 * Their number grows with the messages, so one partition could not take them: each is spread over the shards of its client
 * and of its kind (`activity-log.dynamo.ts`). The others are changes that somebody made, and share no partition with these.
 */
export const spreadKinds: readonly ActivityKind[] = ['webhook_failed', 'entry_refused', 'inbound_unassigned'];

export function isSpread(kind: ActivityKind): boolean {
  return spreadKinds.includes(kind);
}

/** The fields that changed, with their values before or after; never a secret or a hash. */
const state = z.record(z.string(), z.unknown());

export const activitySchema = z.readonly(
  z.object({
    /** `act_` and a ULID of its time, so entries sort by time. */
    entry_id: z.string(),
    kind: z.enum(activityKinds),
    at: z.iso.datetime(),
    /** The summary of the entry in one sentence for a person. */
    summary: z.string(),
    client_id: z.exactOptional(z.string()),
    message_id: z.exactOptional(z.string()),
    delivery_id: z.exactOptional(z.string()),
    /** The administrator or client that did it; absent for the gateway's own entries. */
    actor: z.exactOptional(z.string()),
    before: z.exactOptional(state),
    after: z.exactOptional(state),
  }),
);

export type Activity = z.output<typeof activitySchema>;

export interface ActivityLog {
  /** Writing the same entry again changes nothing. */
  add(entry: Activity): Promise<void>;
}

export interface ActivityQuery {
  readonly clientId?: string | undefined;
  readonly kind?: ActivityKind | readonly ActivityKind[] | undefined;
  /** Who did it. The gateway's own entries, among them all of the spread kinds, are of nobody. */
  readonly actor?: string | undefined;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
  /**
   * The number of rounds of reads after which the page ends, even if it has fewer entries; without it there is no
   * limit.
   */
  readonly readsMax?: number | undefined;
  /** Whether a client's entry of a spread kind is found as soon as it is written. */
  readonly consistent?: boolean | undefined;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ActivityPage {
  /** Newest first. */
  readonly entries: readonly Activity[];
  /** Present if there may be more. */
  readonly nextCursor?: string;
}
