/**
 * Decides what a restore writes for a missing row, based on the row at the restored time. A copy must start no work and
 * give no access: an unfinished message is held, an unfinished webhook fails, and a client, API key or webhook secret is
 * disabled.
 */
import * as z from 'zod/mini';
import { settingsIdOf } from '../contract/mode.ts';
import { dueFields } from '../due/due-index.ts';
import { isFinished } from '../message/dispatch/fallback.ts';
import { type HeldGroup, type Message, messageSchema, transitions } from '../message/message.ts';
import { restoredBy, rowIn, usageClosed } from '../platform/aws/stream-record.dynamo.ts';
import { earlierOf } from '../platform/clock.ts';
import { type Delivery, deliverySchema, isDeliveryFinished } from '../webhook/delivery.ts';
import { resendSchema } from '../webhook/log/resend.ts';
import type { Item } from './side-tables.dynamo.ts';
import type { RestorableTable } from './table-rows.dynamo.ts';

export const activityRow = z.object({
  at: z.string(),
  kind: z.string(),
  summary: z.string(),
  client_id: z.optional(z.string()),
  after: z.optional(z.record(z.string(), z.unknown())),
});

export type SettingChange = Readonly<z.output<typeof activityRow>>;

export interface RestoreRun {
  readonly restoreId: string;
  /** When the workers were stopped, after which no message was handed over. */
  readonly stoppedAt: Date;
  readonly tables: readonly RestorableTable[];
  /** The changes of settings in the Activity Log since the restored time. */
  readonly changes: readonly SettingChange[];
}

type CopiedRow =
  /** The row is not copied. `deleted` means that its client deleted it after the restored time. */
  | { readonly kind: 'left'; readonly why: 'over' | 'deleted' }
  | {
      readonly kind: 'copied';
      readonly item: Item;
      readonly held?: HeldGroup;
      readonly disabled?: boolean;
      /**
       * True for an unfinished webhook. The restore also writes the entry of its failure, so that lists and resends find
       * it.
       */
      readonly failed?: boolean;
    };

export function copiedRow(run: RestoreRun, table: RestorableTable, item: Item, now: Date): CopiedRow {
  if (Number(item.purge_at?.N ?? Number.POSITIVE_INFINITY) <= now.getTime() / 1000)
    return { kind: 'left', why: 'over' };
  const marked: Item = { ...item, [restoredBy]: { S: run.restoreId } };
  switch (table) {
    case 'messages':
      return copiedMessage(run, marked);
    case 'webhook-deliveries':
      return copiedDelivery(run, marked);
    case 'clients':
      // A client that was already disabled stays disabled, until an administrator enables it explicitly.
      return item.disabled?.BOOL === true
        ? copied(marked)
        : disabled({ ...marked, disabled: { BOOL: true } });
    case 'api-keys':
      return item.revoked_at === undefined
        ? disabled({ ...marked, revoked_at: { S: run.stoppedAt.toISOString() } })
        : copied(marked);
    case 'client-secrets':
      return copiedSecrets(marked);
    case 'webhook-endpoints':
      return wasDeleted(run, item) ? { kind: 'left', why: 'deleted' } : copied(marked);
    default:
      return copied(marked);
  }
}

const copied = (item: Item): CopiedRow => ({ kind: 'copied', item });

const disabled = (item: Item): CopiedRow => ({
  kind: 'copied',
  disabled: true,
  item: { ...item, held: { BOOL: true } },
});

function copiedMessage({ stoppedAt }: RestoreRun, row: Item): CopiedRow {
  // A copy is due only after its release.
  const { due_at, due_shard, due_looks, ...item } = row;
  const message = messageSchema().safeParse(rowIn(item)).data;
  // An administrator may correct the row, which must not start any work.
  if (message === undefined) return { kind: 'copied', item: heldAs('due', item) };
  const group = heldGroupOf(message, stoppedAt);
  if (group === 'scheduled') return { kind: 'copied', held: group, item: heldAs(group, item) };
  // The next leg may have started meanwhile, so the send ends with this message.
  const { fallback, ...single } = item;
  if (group === undefined) return copied(isFinished(message) ? item : single);
  // It is unknown in which state usage last counted the message.
  return { kind: 'copied', held: group, item: { ...heldAs(group, single), [usageClosed]: { BOOL: true } } };
}

const heldAs = (group: HeldGroup, item: Item): Item => ({ ...item, held: { S: group } });

function heldGroupOf({ status, scheduled_at }: Message, stoppedAt: Date): HeldGroup | undefined {
  if (transitions[status].final) return undefined;
  if (status === 'sent') return 'sent';
  return status === 'scheduled' && (scheduled_at ?? '') > stoppedAt.toISOString() ? 'scheduled' : 'due';
}

function copiedDelivery({ stoppedAt }: RestoreRun, item: Item): CopiedRow {
  const resend = resendSchema.safeParse(rowIn(item)).data;
  // Copying the resend would repeat webhooks that were resent after the restored time.
  if (resend !== undefined && resend.status !== 'completed') return { kind: 'left', why: 'over' };
  const delivery = deliverySchema.safeParse(rowIn(item)).data;
  if (delivery === undefined) return copied(item);
  if (!isDeliveryFinished(delivery))
    return { kind: 'copied', item: failedAt(stoppedAt, item, delivery), failed: true };
  return { kind: 'copied', item, failed: delivery.alert_pending === true };
}

function failedAt(
  at: Date,
  { lease_until, due_looks, ...item }: Item,
  { delivery_id, attempt_due_at }: Delivery,
): Item {
  const { due_at = '', due_shard = '' } = dueFields(delivery_id, at);
  return {
    ...item,
    due_at: { S: due_at },
    due_shard: { S: due_shard },
    ...(item.list_key === undefined ? {} : { failed_key: item.list_key }),
    state: { S: 'failed' },
    finished_at: { S: at.toISOString() },
    // The list is sorted by this time, and lists end at the current time.
    attempt_due_at: { S: earlierOf(new Date(attempt_due_at), at).toISOString() },
    alert_pending: { BOOL: true },
  };
}

/** Moves the secrets to an attribute that no code reads, so they sign no webhooks, and a rotation starts without them. */
function copiedSecrets({ webhook_secrets, endpoint_secrets, ...item }: Item): CopiedRow {
  const secrets: Item = {
    ...(webhook_secrets === undefined ? {} : { webhook_secrets }),
    ...(endpoint_secrets === undefined ? {} : { endpoint_secrets }),
  };
  return { kind: 'copied', disabled: true, item: { ...item, held: { M: secrets } } };
}

/**
 * Webhooks must not be posted to an endpoint that its client deleted. The text of the Activity Log entry names the
 * endpoint.
 */
function wasDeleted({ changes }: RestoreRun, { endpoint_id }: Item): boolean {
  return changes.some(
    ({ kind, summary }) => kind === 'webhook_endpoint_deleted' && summary.includes(endpoint_id?.S ?? ''),
  );
}

/** The kinds of changes that show if a copied client or its secrets may be used again. */
const accessKinds: ReadonlySet<string> = new Set([
  'client_disabled',
  'client_enabled',
  'client_secret_rotated',
  'client_secret_ended',
  'webhook_secret_rotated',
  'webhook_endpoint_secret_rotated',
  'webhook_endpoint_deleted',
  'permissions_changed',
]);

/** Returns the changes of the row's API key or client. */
export function changesOf(changes: readonly SettingChange[], { client_id, key_id }: Item) {
  return changes.filter(({ kind, client_id: of = '', after }) =>
    key_id === undefined
      ? accessKinds.has(kind) && settingsIdOf(of) === settingsIdOf(client_id?.S ?? '')
      : after?.key_id === key_id.S,
  );
}
