/** A page of activity entries in memory, as the table answers it. */
import type { Activity, ActivityPage, ActivityQuery } from '../../../shared/activity/activity-log.ts';
import { idRange } from '../../../shared/platform/ids.ts';

export function activityPage(all: Iterable<Activity>, query: ActivityQuery): ActivityPage {
  const { clientId, kind, since, until, limit, cursor } = query;
  const { low, high } = idRange('act', since, until);
  const below = cursor ?? `${high}~`;
  const found = Array.from(all)
    .filter((entry) => clientId === undefined || entry.client_id === clientId)
    .filter((entry) => kind === undefined || [kind].flat().includes(entry.kind))
    .filter(({ entry_id }) => entry_id >= low && entry_id < below)
    .toSorted((a, b) => (a.entry_id < b.entry_id ? 1 : -1));
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return { entries, ...(found.length > limit && last !== undefined ? { nextCursor: last.entry_id } : {}) };
}
