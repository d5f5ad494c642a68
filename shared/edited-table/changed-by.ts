/**
 * The attribute `changed_by`: with it the shell and the admin API name themselves in the row that they change, because a
 * stream record does not say who made a change.
 */
import { addSeconds } from '../platform/clock.ts';

/** A mark that is older than its change was copied with the row, or belongs to a change that was never made. */
const markValidSeconds = 60;

/** @param removal - whether the row is deleted next */
export function changedByMark(actor: string, now: Date, removal: boolean): string {
  return `${actor} at ${now.toISOString()}${removal ? ' (removal)' : ''}`;
}

/** Who made the change, and when to the millisecond; undefined if the mark is not of this change. */
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
