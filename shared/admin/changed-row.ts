/** How administrators change a row of a table that people edit too, and how its values are shown. */
import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import {
  type EditedRow,
  type EditedTable,
  type IgnoredValue,
  ownAttributes,
} from '../edited-table/edited-row.ts';
import { textUpTo } from './request-fields.ts';

/** Names attributes of a row that are to be removed, such as misspelled ones. */
export const attributesToRemove = z.optional(z.array(textUpTo(255)).check(z.maxLength(20)));

/**
 * The attributes of a row after a change, with undefined for those that it removes: what the change sets to null, and
 * what is invalid. What the change does not name stays.
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

/** These attributes with undefined, which removes them. @throws GatewayError for the key, and for what the gateway writes */
export function removedAttributes(
  names: readonly string[] = [],
  { sortKey }: Pick<EditedTable, 'sortKey'>,
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

/** @throws GatewayError with what is wrong in each value */
export function assertValid(ignored: readonly IgnoredValue[], message: string): void {
  if (ignored.length === 0) return;
  const details = ignored.map(({ attribute, reason }) => ({ field: attribute, message: reason }));
  throw new GatewayError('invalid_request', message, { details });
}

/** A value of any type as text. */
export function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
