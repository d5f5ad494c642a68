/**
 * Lists the rows of a table that operators edit (of one client, or of all clients in the order of the table), and changes
 * these rows.
 */

import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import {
  changedByMark,
  type EditedRow,
  type EditedTable,
  type IgnoredValue,
  ownAttributes,
  type RowKey,
  readEditedPage,
} from '../edited-table/row-editor.dynamo.ts';
import { invalidCursor, opaqueCursor } from '../operation/list-query.ts';
import { jsonIn } from '../platform/object-fields.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import { cursor, keyText, pageSize, textUpTo } from './request-fields.ts';

function keyPart(bytesMax: number) {
  return z.string().check(
    z.minLength(1),
    z.refine((text) => Buffer.byteLength(text) <= bytesMax),
  );
}

/** `client_id` and the sort key, as JSON. */
const position = z.tuple([keyPart(2048), keyPart(1024)]);
const rowCursor = opaqueCursor(/^\[/);

export const rowsQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
});

/**
 * Returns one page of rows.
 *
 * @param query - `client_id` is the id in the rows, even if no such client exists, or the name of a client
 * @throws GatewayError `not_found` if there are neither rows nor a client: an empty list would look like a client
 * without rows
 */
export async function readRowsPage(
  ctx: AdminContext,
  table: EditedTable,
  { limit, cursor, client_id: named }: z.output<typeof rowsQuery>,
) {
  const after = cursor === undefined ? undefined : keyIn(cursor, table.sortKey);
  const read = async (clientId: string | undefined) => {
    const { rows, last } = await readEditedPage(ctx, table, { limit, clientId, after });
    return { rows, next: rowCursor.next(last && JSON.stringify([last.client_id, last[table.sortKey]])) };
  };
  if (named === undefined || named === after?.client_id) return read(named);
  if (after === undefined) {
    const page = await read(named);
    if (page.rows.length > 0 || named === everyClient) return page;
  }
  const clientId = await clientIdOf(ctx, named);
  if (after !== undefined && after.client_id !== clientId) throw invalidCursor();
  return read(clientId);
}

function keyIn(cursor: string, sortKey: string): RowKey {
  const { data } = position.safeParse(jsonIn(rowCursor.decode(cursor)));
  if (data === undefined) throw invalidCursor();
  return { client_id: data[0], [sortKey]: data[1] };
}

/** The attributes of a row to remove, such as misspelled ones. */
export const attributesToRemove = z.optional(z.array(textUpTo(255)).check(z.maxLength(20)));

/**
 * Returns the attributes of a row after a change. Attributes that the change sets to null, and invalid attributes, become
 * undefined. This removes them. Attributes that the change does not name keep their values.
 */
export function valuesAfter(
  row: EditedRow,
  ignored: readonly IgnoredValue[],
  change: Readonly<Partial<Record<string, unknown>>>,
  attributes: readonly string[],
): Record<string, unknown> {
  const invalid = new Set(ignored.map(({ attribute }) => attribute));
  const valueAfter = (name: string): unknown => {
    if (change[name] !== undefined) return change[name] ?? undefined;
    return invalid.has(name) ? undefined : row[name];
  };
  return Object.fromEntries(attributes.map((name) => [name, valueAfter(name)]));
}

/**
 * Returns these attributes as undefined, so that they are removed. @throws GatewayError for key attributes and for those
 * that the gateway writes
 */
export function removedAttributes(
  names: readonly string[] = [],
  { sortKey }: EditedTable,
): Record<string, undefined> {
  const kept = new Set<string>(['client_id', sortKey, ...ownAttributes]);
  const refused = names.find((name) => kept.has(name));
  if (refused !== undefined) {
    throw new GatewayError('invalid_request', `The attribute ${refused} cannot be removed.`, {
      details: [{ field: 'remove', message: `cannot name ${refused}` }],
    });
  }
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Returns the change that removes a row. The change throws `not_found` with this message if the row does not exist. */
export function removal({ clock }: AdminContext, actor: string, message: string) {
  return (row: EditedRow | undefined, attempt: number) => {
    if (row === undefined && attempt === 1) throw new GatewayError('not_found', message);
    return row && { removeMarked: changedByMark(actor, clock(), true) };
  };
}

/** @throws GatewayError that lists the fault of each value */
export function assertValid(ignored: readonly IgnoredValue[], message: string): void {
  if (ignored.length === 0) return;
  const details = ignored.map(({ attribute, reason }) => ({ field: attribute, message: reason }));
  throw new GatewayError('invalid_request', message, { details });
}

export function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
