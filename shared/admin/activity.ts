/** The activity log as administrators see it, with the current state of the webhooks in its entries. */
import * as z from 'zod/mini';
import { type ActivityQuery, readActivity } from '../activity/activity-log.dynamo.ts';
import type { Activity } from '../activity/write-activity.dynamo.ts';
import {
  type ActivityGroup,
  type ActivityKind,
  activityGroups,
  activityKinds,
} from '../contract/activity-kinds.ts';
import { GatewayError } from '../contract/errors.ts';
import { opaqueCursor } from '../operation/list-query.ts';
import { addDays } from '../platform/clock.ts';
import { readDeliveries } from '../webhook/delivery-store.dynamo.ts';
import { deliverySummary } from '../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../webhook/webhook-response.schema.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import { cursor, keyText, pageSize, utcTime } from './request-fields.ts';

export interface ActivityView extends Activity {
  /** The current state of the webhook in the entry; absent if the entry has no webhook, or if the webhook was deleted. */
  readonly delivery?: DeliverySummary;
}

export const activityQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
  kind: z.optional(z.enum([...activityKinds, ...(Object.keys(activityGroups) as ActivityGroup[])])),
  /** The id or name of the administrator or client in the entry, or another name that the log contains. */
  actor: z.optional(keyText),
  since: z.optional(utcTime),
  until: z.optional(utcTime),
});

/** Returns the kinds of a group. Returns a single kind unchanged. */
export function kindsOf(kind: ActivityKind | ActivityGroup | undefined) {
  if (kind === undefined || !(kind in activityGroups)) return kind as ActivityKind | undefined;
  const kinds: readonly ActivityKind[] = activityGroups[kind as ActivityGroup];
  // A single kind can be read from an index.
  return kinds.length === 1 ? kinds[0] : kinds;
}

/**
 * Returns the id of the client with this name or id. Otherwise returns the text itself: for a change in the console, the log
 * contains the name of the user.
 */
export async function actorOf(ctx: AdminContext, text: string): Promise<string> {
  return clientIdOf(ctx, text).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'not_found') return text;
    throw error;
  });
}

const entryCursor = opaqueCursor(/^act_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** Lists entries, newest first. */
export async function listActivity(ctx: AdminContext, query: ActivityQuery) {
  const mode = query.clientId === undefined ? ctx.mode : undefined;
  const { entries, nextCursor } = await readActivity(ctx, {
    ...query,
    cursor: entryCursor.decode(query.cursor),
    mode,
  });
  const ids = entries.map(({ delivery_id }) => delivery_id).filter((id) => id !== undefined);
  const deliveries = ids.length === 0 ? [] : await readDeliveries(ctx, ids);
  const summaries = new Map(deliveries.map((delivery) => [delivery.delivery_id, deliverySummary(delivery)]));
  return {
    entries: entries.map((entry): ActivityView => {
      const delivery = summaries.get(entry.delivery_id ?? '');
      return delivery === undefined ? entry : { ...entry, delivery };
    }),
    ...entryCursor.next(nextCursor),
  };
}

export function retentionRange({ clock, retentionDays }: AdminContext) {
  const until = clock();
  return { since: addDays(until, -retentionDays), until };
}
