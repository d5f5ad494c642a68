/**
 * Writes the entries of the activity-log table, each once.
 *
 * The keys of an entry in the activity-log table. An entry of a spread kind is in a shard of its client (the table's
 * partition key, although its name is `day`) and in a shard of its kind (the index `by-kind`). It has no `client_id`, by
 * which it would be in the index `by-client`, but `of_client`. Earlier releases do not find it, and wrote all entries as
 * the other kinds are written: under their UTC day, kind and client.
 */

import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { keptDays } from '../contract/mode.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import { log } from '../platform/log.ts';
import { type ActivityKind, isSpread } from './activity-kinds.ts';
import { type Activity, type ActivityLog, activitySchema } from './activity-log.ts';

export function dynamoActivityLog(
  client: DynamoDBDocumentClient,
  tableName: string,
  retentionDays: number,
): ActivityLog {
  return {
    async add(entry) {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: {
            ...rowOf(entry),
            purge_at: epochSeconds(addDays(new Date(entry.at), keptDays(entry.client_id, retentionDays))),
          },
        }),
      );
    },
  };
}

/** Each takes 1,000 writes a second. */
export const activityShards = 8;

export function shardKey(of: string, shard: number): string {
  return `${of}#${shard}`;
}

export function rowOf({ client_id, ...entry }: Activity): Record<string, unknown> {
  const { kind, at, entry_id } = entry;
  const ofClient = client_id === undefined ? {} : { client_id };
  if (!isSpread(kind)) return { ...entry, ...ofClient, day: at.slice(0, 'yyyy-mm-dd'.length) };
  const shard = (createHash('sha256').update(entry_id).digest()[0] ?? 0) % activityShards;
  return {
    ...entry,
    ...(client_id === undefined ? {} : { of_client: client_id }),
    day: shardKey(`client ${client_id ?? ''}`, shard),
    kind: shardKey(kind, shard),
  };
}

/** Returns none if the row is invalid, or of a kind that a later release added. */
export function entriesIn(rows: readonly Readonly<Record<string, unknown>>[]): Activity[] {
  return rows.flatMap(({ of_client, ...row }) => {
    const kind = String(row.kind).replace(/#.*$/, '');
    const of = of_client === undefined ? {} : { client_id: of_client };
    const { success, data } = activitySchema.safeParse({ ...row, ...of, kind });
    if (success) return [data];
    log.warn('activity entry unreadable', { entry_id: row.entry_id, kind: row.kind });
    return [];
  });
}

/** The values of the attribute `kind` in this shard, or outside of the shards. */
export function storedKinds(kinds: readonly ActivityKind[], shard: number | undefined): string[] {
  return shard === undefined ? [...kinds] : kinds.filter(isSpread).map((kind) => shardKey(kind, shard));
}
