/**
 * Reads entries of the Activity Log ahead: small pages that follow one another are taken from one call of DynamoDB, so
 * they cost what one large page costs. Entries never change; only those that are added meanwhile are not seen.
 */
import { withoutUndefined } from '../platform/object-fields.ts';
import type { ActivityPage, ActivityQuery } from './activity-log.ts';

interface ActivityPages {
  list(query: ActivityQuery): Promise<ActivityPage>;
}

/** Reads ahead for one query, whose pages are requested one after the other. */
export function readAhead(activity: ActivityPages, entriesAhead: number): ActivityPages {
  let ahead: ActivityPage = { entries: [] };
  let position: string | undefined;
  return {
    async list(query) {
      const isNext = ahead.entries.length > 0 && query.cursor === position;
      const limit = Math.max(entriesAhead, query.limit);
      const { entries, nextCursor } = isNext ? ahead : await activity.list({ ...query, limit });
      const page = entries.slice(0, query.limit);
      const left = entries.slice(query.limit);
      ahead = { ...withoutUndefined({ nextCursor }), entries: left };
      position = left.length === 0 ? nextCursor : page.at(-1)?.entry_id;
      return { entries: page, ...withoutUndefined({ nextCursor: position }) };
    },
  };
}
