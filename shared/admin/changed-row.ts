/** How administrators change a row of a table that people edit too, and how its values are shown. */
import { GatewayError } from '../contract/errors.ts';
import type { EditedRow, IgnoredValue } from '../edited-table/edited-row.ts';

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
