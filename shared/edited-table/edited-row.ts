/** The common parts of tables that operators edit by hand in the DynamoDB console. */
import type { ActivityKind } from '../contract/activity-kinds.ts';
import { addSeconds } from '../platform/clock.ts';

/** A row as it is in the table: any attribute may have any value. */
export type EditedRow = Readonly<Record<string, unknown>>;

/** Describes such a table. Its partition key is `client_id`. */
export interface EditedTable {
  readonly sortKey: string;
  /** The attributes that an operator writes, besides the key. */
  readonly attributes: readonly string[];
  readonly change: {
    readonly set: ActivityKind;
    readonly removed: ActivityKind;
    /** The noun for the content of a row: `limits`. */
    readonly what: string;
  };
}

/** The attributes that the gateway writes into a row: the feedback, and who changed the row by a tool. */
export const ownAttributes = ['status', 'status_message', 'changed_by'] as const;

export interface IgnoredValue {
  readonly attribute: string;
  /** The error and how to correct it, without the attribute's name. */
  readonly reason: string;
}

export type Parsed<T> = { readonly value: T } | { readonly reason: string };

/** Returns the value of an attribute if it is present and valid; adds its fault to `ignored` if it is invalid. */
export function validValue<T>(
  row: EditedRow,
  attribute: string,
  parse: (value: unknown) => Parsed<T>,
  ignored: IgnoredValue[],
): T | undefined {
  if (row[attribute] === undefined) return undefined;
  const parsed = parse(row[attribute]);
  if ('value' in parsed) return parsed.value;
  ignored.push({ attribute, reason: parsed.reason });
  return undefined;
}

/** Reads a boolean; in the console it is easily entered as a string. */
export function parseBoolean(value: unknown): Parsed<boolean> {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true') return { value: true };
  if (text === false || text === 'false') return { value: false };
  return { reason: `${shownValue(value)} is neither true nor false. Write true or false.` };
}

const shownLength = 60;

/** Formats a value of any type as a short text; a string is in quotes. */
export function shownValue(value: unknown): string {
  const plain = value instanceof Set ? [...value] : value;
  const text = (typeof plain === 'bigint' ? String(plain) : JSON.stringify(plain)) ?? String(plain);
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/** A mark that is older than its change was copied with the row, or belongs to a change that was never made. */
const markValidSeconds = 60;

/**
 * Returns the value of the attribute `changed_by`, with which the shell and the admin API name the actor: a stream
 * record does not say who made a change.
 *
 * @param removal - true if the row is deleted next
 */
export function changedByMark(actor: string, now: Date, removal: boolean): string {
  return `${actor} at ${now.toISOString()}${removal ? ' (removal)' : ''}`;
}

/** Returns who made the change, and when to the millisecond; undefined if the mark belongs to an earlier change. */
export function changeOf(
  mark: string | undefined,
  streamedAt: Date,
  removal: boolean,
): { readonly actor: string; readonly at: Date } | undefined {
  const [, actor, time = '', removed] = /^(.+) at (\S+Z)( \(removal\))?$/s.exec(mark ?? '') ?? [];
  const at = new Date(time);
  if (actor === undefined || Number.isNaN(at.getTime()) || (removed !== undefined) !== removal)
    return undefined;
  const near =
    at >= addSeconds(streamedAt, -markValidSeconds) && at <= addSeconds(streamedAt, markValidSeconds);
  return near ? { actor, at } : undefined;
}
