/** How the rows of each table are restored, and in which order: what decides about sending comes first, messages last. */
import type { TableName } from '../contract/tables.ts';

/** Rows of a table as they are stored, and how one that exists is treated. */
interface RestoreRule {
  /**
   * Whether `--replace` puts a row back that exists and differs. Everywhere else the row that exists is the newer one, and
   * is kept: an opt-out, a revoked key, or a disabled client must not be undone.
   */
  readonly replaceable?: boolean;
  /** The kind of entry of the Activity Log that says that a row was deleted on purpose. */
  readonly deletedBy?: 'limits_removed' | 'sender_removed' | 'webhook_endpoint_deleted';
  /**
   * The attributes that are counts, which only grow. A row that has less than it had at the time was lost and is counted anew,
   * so what it had is added to it.
   */
  readonly counts?: RegExp;
}

/** The attributes of a row of `message-usage` that have numbers of messages. */
export const messagesAttribute = /^[sw]\..*\.m$/;

/** The tables with point-in-time recovery, in the order in which they are restored. */
const restoreRules = {
  clients: {},
  'client-secrets': {},
  'api-keys': {},
  'limit-overrides': { replaceable: true, deletedBy: 'limits_removed' },
  senders: { replaceable: true, deletedBy: 'sender_removed' },
  'webhook-endpoints': { replaceable: true, deletedBy: 'webhook_endpoint_deleted' },
  'otp-holds': {},
  suppressions: {},
  'whatsapp-windows': {},
  'activity-log': {},
  usage: { counts: /^webhooks_(?!total_ms)/ },
  // `s.t.GB.d.m` is the messages of one combination (shared/usage/amounts.ts); states change, their sum does not.
  'message-usage': { counts: messagesAttribute },
  batches: {},
  'due-items': {},
  'webhook-deliveries': {},
  messages: {},
} as const satisfies Partial<Record<TableName, RestoreRule>>;

export type RestorableTable = keyof typeof restoreRules;

export const restorableTables = Object.keys(restoreRules) as readonly RestorableTable[];

export function ruleOf(table: RestorableTable): RestoreRule {
  return restoreRules[table];
}
