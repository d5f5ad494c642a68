/** The kinds of entries of the activity log, and what they are about. */

/**
 * The dashboard names each in `dashboard/pages/activity.tsx`; its overview reads some, in
 * `shared/admin/attention.ts`.
 */
export const activityKinds = [
  'webhook_failed',
  'webhook_resent',
  'webhooks_resent',
  'client_created',
  'client_disabled',
  'client_enabled',
  'client_secret_rotated',
  'client_secret_ended',
  'webhook_secret_rotated',
  'webhook_url_changed',
  'smart_encoding_changed',
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
  'otp_unverified',
  'otp_allowed',
  'inbound_unassigned',
  'suppression_changed',
  'message_canceled',
  'signed_in',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

const webhookKinds: readonly ActivityKind[] = [
  'webhook_failed',
  'webhook_resent',
  'webhooks_resent',
  'webhook_test_sent',
];
/** The kinds of entries that the gateway itself creates. */
const noticeKinds = [
  'webhook_endpoint_disabled',
  'spend_cap_nearly_reached',
  'spend_cap_reached',
  'otp_held',
  'otp_unverified',
  'inbound_unassigned',
] as const satisfies ActivityKind[];
export type NoticeKind = (typeof noticeKinds)[number] | 'webhook_failed';
const signInKinds: readonly ActivityKind[] = ['signed_in'];

/** The kinds by subject, because one failing endpoint writes thousands of entries, which would hide the changes. */
export const activityGroups = {
  changes: activityKinds.filter((kind) => ![...webhookKinds, ...noticeKinds, ...signInKinds].includes(kind)),
  webhooks: webhookKinds,
  notices: noticeKinds,
  sign_ins: signInKinds,
} as const satisfies Record<string, readonly ActivityKind[]>;
export type ActivityGroup = keyof typeof activityGroups;

/**
 * The kinds whose number of entries grows with the number of messages. One partition could not store all these entries, so
 * they are spread over shards of their client and of their kind (`write-activity.dynamo.ts`). All other kinds are changes
 * by administrators and clients, and have a partition of their own.
 */
export const spreadKinds: readonly ActivityKind[] = ['webhook_failed', 'inbound_unassigned'];

export function isSpread(kind: ActivityKind): boolean {
  return spreadKinds.includes(kind);
}

/** Each shard accepts 1,000 writes a second. */
export const activityShards = 8;

export function shardKey(of: string, shard: number): string {
  return `${of}#${shard}`;
}
