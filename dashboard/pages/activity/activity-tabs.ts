/** The tabs of the activity log, and the names of its kinds of entries. */
import {
  type ActivityGroup,
  type ActivityKind,
  activityGroups,
} from '../../../shared/contract/activity-kinds.ts';

export const kinds: Readonly<Record<ActivityKind | ActivityGroup, string>> = {
  changes: 'All changes',
  webhooks: 'All webhooks',
  notices: 'All notices',
  sign_ins: 'Sign-ins',
  webhook_failed: 'Failed webhooks',
  webhook_resent: 'Webhooks resent',
  webhooks_resent: 'Many webhooks resent',
  client_created: 'Clients created',
  client_disabled: 'Clients disabled',
  client_enabled: 'Clients enabled',
  client_secret_rotated: 'Client secrets rotated',
  client_secret_ended: 'Previous client secrets ended',
  webhook_secret_rotated: 'Webhook secrets rotated',
  webhook_url_changed: 'Webhook URLs changed',
  webhook_endpoint_created: 'Webhook endpoints created',
  webhook_endpoint_changed: 'Webhook endpoints changed',
  webhook_endpoint_deleted: 'Webhook endpoints deleted',
  webhook_endpoint_disabled: 'Webhook endpoints disabled',
  webhook_endpoint_secret_rotated: 'Webhook endpoint secrets rotated',
  webhook_test_sent: 'Test events sent',
  permissions_changed: 'Countries and senders changed',
  api_key_created: 'API keys created',
  api_key_revoked: 'API keys revoked',
  inbound_unassigned: 'Inbound messages of no client',
  suppression_changed: 'Suppressions changed',
  limits_set: 'Limits set',
  limits_removed: 'Limits removed',
  sender_set: 'Sender changed',
  sender_removed: 'Sender removed',
  spend_cap_nearly_reached: 'Spend caps nearly reached',
  spend_cap_reached: 'Spend caps reached',
  otp_held: 'One-time passwords held',
  otp_unverified: 'One-time passwords that nobody verifies',
  otp_allowed: 'One-time passwords allowed',
  message_canceled: 'Scheduled messages canceled',
  signed_in: 'Sign-ins',
};

export interface Tab {
  /** The name in the address; empty for the first tab. */
  readonly id: string;
  readonly title: string;
  readonly group: ActivityGroup;
  /** The type that is selected at first. Default: all types of the group. */
  readonly byDefault?: ActivityKind;
  readonly empty: string;
}

export const changesTab: Tab = { id: '', title: 'Changes', group: 'changes', empty: 'Nothing was changed.' };
export const tabs: readonly Tab[] = [
  changesTab,
  {
    id: 'webhooks',
    title: 'Webhooks',
    group: 'webhooks',
    byDefault: 'webhook_failed',
    empty: 'No webhook has failed.',
  },
  { id: 'notices', title: 'Notices', group: 'notices', empty: 'Nothing was noticed.' },
  { id: 'sign-ins', title: 'Sign-ins', group: 'sign_ins', empty: 'No administrator has signed in.' },
];

/** Returns the types that a tab can show. */
export function optionsOf({ group }: Tab) {
  const values = activityGroups[group].length === 1 ? [group] : [group, ...activityGroups[group]];
  return values.map((value) => ({ value, label: kinds[value] }));
}
