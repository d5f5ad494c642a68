/**
 * Writes entries of the activity-log table. Entries of a spread kind are in a shard of their client (the partition key,
 * although it is named `day`) and in a shard of their kind (the index `by-kind`). They store the client in `of_client`,
 * because `client_id` would add them to the index `by-client`. Entries of other kinds can be read by UTC day, by kind and
 * by client.
 */

import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  type ActivityKind,
  activityKinds,
  activityShards,
  isSpread,
  type NoticeKind,
  shardKey,
} from '../contract/activity-kinds.ts';
import type { StageMetric } from '../contract/metrics.ts';
import { keptDays, modeOf } from '../contract/mode.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { lazily } from '../platform/expiring-cache.ts';
import { newId } from '../platform/ids.ts';
import { countMetric } from '../platform/log.ts';

export const activitySchema = lazily(() => {
  /** The changed fields with their values before or after the change, but never a secret or a hash. */
  const state = z.record(z.string(), z.unknown());
  return z.readonly(
    z.object({
      /** `act_` and a ULID of the entry's time, so entries sort by time. */
      entry_id: z.string(),
      kind: z.enum(activityKinds),
      at: z.iso.datetime(),
      summary: z.string(),
      client_id: z.exactOptional(z.string()),
      message_id: z.exactOptional(z.string()),
      delivery_id: z.exactOptional(z.string()),
      /** The administrator or client that made the change; absent if the gateway wrote the entry itself. */
      actor: z.exactOptional(z.string()),
      before: z.exactOptional(state),
      after: z.exactOptional(state),
    }),
  );
});

export type Activity = z.output<ReturnType<typeof activitySchema>>;

/** Adds an entry. A repeat changes nothing. */
export async function addActivity(
  { db, env }: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  entry: Activity,
): Promise<void> {
  const purge_at = epochSeconds(addDays(new Date(entry.at), keptDays(entry.client_id, env.RETENTION_DAYS)));
  await db.send(new PutCommand({ TableName: env.ACTIVITY_LOG_TABLE, Item: { ...rowOf(entry), purge_at } }));
}

export function rowOf({ client_id, ...entry }: Activity): Record<string, unknown> {
  const { kind, at, entry_id } = entry;
  const ofClient = client_id === undefined ? {} : { client_id };
  if (!isSpread(kind)) return { ...entry, ...ofClient, day: at.slice(0, 'yyyy-mm-dd'.length) };
  const shard = (createHash('sha256').update(entry_id).digest()[0] ?? 0) % activityShards;
  return {
    ...entry,
    of_client: client_id,
    day: shardKey(`client ${client_id ?? ''}`, shard),
    kind: shardKey(kind, shard),
  };
}

/** The metric of each kind of notice that an alarm uses. */
const noticeMetrics: Partial<Record<NoticeKind, StageMetric>> = {
  otp_held: 'OtpHeld',
  otp_unverified: 'OtpHeld',
  spend_cap_reached: 'SpendCapReached',
};

/**
 * Notifies administrators of something that the gateway found or did: adds an entry, and counts a metric if an alarm uses
 * this kind. A repeat with the same id overwrites the entry, and counts the metric again.
 *
 * @param entryId - from `derivedIdAt`
 */
export async function notify(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  kind: NoticeKind,
  entryId: string,
  fields: {
    /** An ISO 8601 time in UTC. */
    readonly at: string;
    readonly summary: string;
    readonly client_id?: string;
    readonly message_id?: string;
    readonly delivery_id?: string;
    readonly after?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const metric = noticeMetrics[kind];
  // Test data causes no alarm.
  if (metric !== undefined && modeOf(fields.client_id ?? '') === 'live') countMetric(metric);
  await addActivity(context, { entry_id: entryId, kind, ...fields });
}

/**
 * Adds an entry for a change: who changed what, when, and the old and new values, but never a secret. Call this before the
 * change, or before a new secret is returned, so that every change has an entry.
 */
export async function recordActivity(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  actor: string,
  {
    kind,
    summary,
    clientId,
    messageId,
    before,
    after,
  }: {
    readonly kind: ActivityKind;
    readonly summary: string;
    readonly clientId: string;
    readonly messageId?: string;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const now = context.clock();
  await addActivity(context, {
    entry_id: newId('act', now),
    kind,
    at: now.toISOString(),
    summary,
    client_id: clientId,
    actor,
    message_id: messageId,
    before,
    after,
  });
}
