/**
 * An administrator's operations on senders: lists the rows with their feedback, sets and removes them. The activity log
 * gets its entries from the table's stream.
 */

import type { Channel } from '../contract/channels.ts';
import { GatewayError } from '../contract/errors.ts';
import { changedByMark } from '../edited-table/changed-by.ts';
import type { EditedRow } from '../edited-table/edited-row.ts';
import { type Feedback, tellsOfMissingClient } from '../edited-table/feedback.ts';
import { type Claims, claimsOf } from '../sender/number-owners.ts';
import { senderFeedback } from '../sender/sender-feedback.ts';
import { parseSenderRow, senderTable } from '../sender/sender-row.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClientOrAll } from './limits.ts';

export interface SenderView {
  readonly client_id: string;
  /** The sort key: the channel and the country. */
  readonly destination: string;
  /** Null if the row is not valid. */
  readonly channel: Channel | null;
  /** ISO 3166-1 alpha-2, or `*`; null if the row is not valid. */
  readonly country: string | null;
  /** As the row has it, as text; null if it has none. So are the other values. */
  readonly identity: string | null;
  readonly messages_per_second: string | null;
  readonly entity_id: string | null;
  readonly template_id: string | null;
  readonly inbound: boolean;
  readonly note: string | null;
  readonly status: Feedback['status'];
  readonly status_message: string;
}

/** Null removes a value; an absent field is not changed. */
interface SenderChange {
  readonly identity?: string | undefined;
  readonly messages_per_second?: number | null | undefined;
  readonly entity_id?: string | null | undefined;
  readonly template_id?: string | null | undefined;
  readonly inbound?: boolean | null | undefined;
  readonly note?: string | null | undefined;
}

interface SenderKey {
  readonly client_id: string;
  readonly channel: Channel;
  /** ISO 3166-1 alpha-2, or `*`. */
  readonly country: string;
}

/** More rows than people enter by hand. */
const rowsMax = 5000;

/** All rows, by client and destination. */
export async function listSenders(dependencies: AdminDependencies): Promise<readonly SenderView[]> {
  const rows = await dependencies.senders.allRows(rowsMax);
  const claims = await claimsIn(rows);
  const now = dependencies.clock();
  return rows
    .map((row) => viewOf(row, claims, now))
    .toSorted(
      (one, other) =>
        one.client_id.localeCompare(other.client_id) || one.destination.localeCompare(other.destination),
    );
}

/** Also removes the invalid values of the row; attributes that the gateway does not know remain. */
export async function setSender(
  dependencies: AdminDependencies,
  actor: string,
  { client_id, channel, country }: SenderKey,
  change: SenderChange,
): Promise<SenderView> {
  await requireClientOrAll(dependencies, client_id);
  const key = { client_id, destination: `${channel} ${country}` };
  const rows = await dependencies.senders.allRows(rowsMax);
  const held = rows.find((row) => isAt(row, key)) ?? key;
  const values = { ...validValues(held), ...given(change) };
  const row = { ...held, ...values };
  const details = parseSenderRow(row).ignored.map(({ attribute, reason }) => ({
    field: attribute,
    message: reason,
  }));
  if (details.length > 0) throw new GatewayError('invalid_request', 'The sender is not valid.', { details });
  const now = dependencies.clock();
  const claims = await claimsIn([...rows.filter((other) => !isAt(other, key)), row]);
  const feedback = senderFeedback(row, { now, clientExists: true, claims });
  await dependencies.senders.write(key, {
    ...values,
    ...feedback,
    changed_by: changedByMark(actor, now, false),
  });
  return viewOf({ ...row, ...feedback }, claims, now);
}

/** The destination need not be valid, so that a misspelled row can be removed. */
export async function removeSender(
  { senders, clock }: AdminDependencies,
  actor: string,
  client_id: string,
  destination: string,
): Promise<void> {
  const key = { client_id, destination };
  if (!(await senders.rowsOf(client_id)).some((row) => isAt(row, key))) {
    throw new GatewayError('not_found', 'There is no such row of senders.');
  }
  await senders.remove(key, changedByMark(actor, clock(), true));
}

function claimsIn(rows: readonly EditedRow[]): Promise<Claims> {
  return claimsOf(
    rows.filter((row) => !tellsOfMissingClient(row)),
    async (ids) => new Set(ids),
  );
}

function isAt(
  row: EditedRow,
  { client_id, destination }: { client_id: string; destination: string },
): boolean {
  return row.client_id === client_id && row.destination === destination;
}

function viewOf(row: EditedRow, claims: Claims, now: Date): SenderView {
  const { valid } = parseSenderRow(row);
  const { status, status_message } = senderFeedback(row, {
    now,
    clientExists: !tellsOfMissingClient(row),
    claims,
  });
  return {
    client_id: String(row.client_id),
    destination: String(row.destination),
    channel: valid?.channel ?? null,
    country: valid?.country ?? null,
    identity: shown(row.identity),
    messages_per_second: shown(row.messages_per_second),
    entity_id: shown(row.entity_id),
    template_id: shown(row.template_id),
    inbound: valid?.inbound ?? false,
    note: shown(row.note),
    status,
    status_message,
  };
}

/** A value of any type as text. */
function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Every attribute that can be changed: undefined if it is absent or invalid. */
function validValues(row: EditedRow): Record<string, unknown> {
  const invalid = new Set(parseSenderRow(row).ignored.map(({ attribute }) => attribute));
  return Object.fromEntries(
    senderTable.attributes.map((name) => [name, invalid.has(name) ? undefined : row[name]]),
  );
}

/** What the change names, with undefined for what it removes. */
function given(change: SenderChange): Record<string, unknown> {
  const named = senderTable.attributes.filter((name) => change[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, change[name] ?? undefined]));
}
