/**
 * Reads pages of the activity-log table, newest first: by client, by one kind, or otherwise day by day.
 * `write-activity.dynamo.ts` describes an entry's keys.
 */

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import {
  type ActivityKind,
  activityShards,
  isSpread,
  shardKey,
  spreadKinds,
} from '../contract/activity-kinds.ts';
import { type Mode, modeOf } from '../contract/mode.ts';
import { addDays, dayOf, secondsPerDay } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { idRange } from '../platform/ids.ts';
import { log } from '../platform/log.ts';
import { type Activity, activitySchema } from './write-activity.dynamo.ts';

export interface ActivityQuery {
  /** If given, only entries about data of this mode are returned; an entry without a client counts as `live`. */
  readonly mode?: Mode | undefined;
  readonly clientId?: string | undefined;
  readonly kind?: ActivityKind | readonly ActivityKind[] | undefined;
  /**
   * The administrator or client that made the change. Undefined for entries that the gateway itself wrote, such as all
   * spread kinds.
   */
  readonly actor?: string | undefined;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface ActivityPage {
  /** Newest first. */
  readonly entries: readonly Activity[];
  /** Present if more entries may follow. */
  readonly nextCursor?: string;
}

/** Leaves out invalid rows, and rows whose kind a later release added. */
function entriesIn(rows: readonly Readonly<Record<string, unknown>>[]): Activity[] {
  return rows.flatMap(({ of_client, ...row }) => {
    const kind = String(row.kind).replace(/#.*$/, '');
    const of = of_client === undefined ? {} : { client_id: of_client };
    const { success, data } = activitySchema().safeParse({ ...row, ...of, kind });
    if (success) return [data];
    log.warn('activity entry unreadable', { entry_id: row.entry_id, kind: row.kind });
    return [];
  });
}

/** Returns the stored values of `kind`, in this shard or outside of the shards. */
function storedKinds(kinds: readonly ActivityKind[], shard: number | undefined): string[] {
  return shard === undefined ? [...kinds] : kinds.filter(isSpread).map((kind) => shardKey(kind, shard));
}

/**
 * The maximum number of days that one request reads. The next request continues at the cursor, so days without entries do
 * not make a request slow.
 */
const daysPerPage = 31;
const filteredPageSize = 200;
/** Each shard is read for more than an even share, because shards are not equally full. */
const shardPageExtra = 10;

interface Partition {
  readonly index?: 'by-client' | 'by-kind';
  readonly key: 'client_id' | 'kind' | 'day';
  readonly value: string;
  readonly pageSize: number;
  /** The values of `kind` to return; undefined for all kinds. */
  readonly kinds?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly mode?: ActivityQuery['mode'];
}

/** Reads a page of a partition's entries before `high`, newest first. */
type Source = (high: string) => Promise<{
  readonly entries: readonly Activity[];
  /** All entries newer than this one were read; undefined at the end of the partition. */
  readonly readTo: string | undefined;
}>;

/**
 * Returns a page of entries, newest first. The entries are in several partitions, which are read in parallel and merged.
 */
export async function readActivity(
  { db, env }: Context<'ACTIVITY_LOG_TABLE'>,
  query: ActivityQuery,
): Promise<ActivityPage> {
  const { low, high: end } = idRange('act', query.since, query.until);
  const high = query.cursor ?? end;
  // DynamoDB rejects a range whose end is before its start.
  if (high < low) return { entries: [] };
  const isByDay = query.clientId === undefined && typeof query.kind !== 'string';
  const roundsMax = isByDay ? daysPerPage : Number.POSITIVE_INFINITY;
  return merged(sourcesOf(query, low), high, query.limit, roundsMax);

  function sourcesOf({ clientId, kind, actor, mode, limit }: ActivityQuery, low: string): Source[] {
    const kinds = kind === undefined ? undefined : [kind].flat();
    const spread = actor === undefined ? (kinds ?? spreadKinds).filter(isSpread) : [];
    const shards = Array.from({ length: spread.length === 0 ? 0 : activityShards }, (_, shard) => shard);
    const isFiltered = kinds !== undefined || actor !== undefined || mode === 'test';
    const pageSize = isFiltered ? Math.max(limit, filteredPageSize) : limit;
    const shardPageSize = Math.ceil(limit / activityShards) + shardPageExtra;
    if (clientId !== undefined) {
      return [
        source({ index: 'by-client', key: 'client_id', value: clientId, pageSize, kinds, actor }, low),
        ...shards.map((shard) => {
          const value = shardKey(`client ${clientId}`, shard);
          const wanted = kinds && storedKinds(kinds, shard);
          return source({ key: 'day', value, pageSize: shardPageSize, kinds: wanted }, low);
        }),
      ];
    }
    const ofKind = (value: string, size: number) =>
      source({ index: 'by-kind', key: 'kind', value, pageSize: size, actor, mode }, low);
    return [
      typeof kind === 'string'
        ? ofKind(kind, actor === undefined ? limit : pageSize)
        : days({ pageSize, kinds, actor, mode }, low),
      ...shards.flatMap((shard) => storedKinds(spread, shard).map((value) => ofKind(value, shardPageSize))),
    ];
  }

  function days(wanted: Pick<Partition, 'pageSize' | 'kinds' | 'actor' | 'mode'>, low: string): Source {
    return async (high) => {
      // The lowest id of a day is the exclusive end of the previous day's page.
      const isEnd = high === lowestOf(startOfDay(timeOf(high)));
      const day = addDays(startOfDay(timeOf(high)), isEnd ? -1 : 0);
      const start = lowestOf(day);
      const page = await source({ key: 'day', value: dayOf(day), ...wanted }, low)(high);
      return start <= low ? page : { ...page, readTo: page.readTo ?? start };
    };
  }

  function source(partition: Partition, low: string): Source {
    const { index, key, value, pageSize, kinds, actor, mode } = partition;
    const names = kinds?.map((_kind, position) => `:kind${position}`);
    const conditions = [
      ...(names === undefined ? [] : [`#kind IN (${names.join(', ')})`]),
      ...(actor === undefined ? [] : ['#actor = :actor']),
    ];
    return async (high) => {
      const { Items = [], LastEvaluatedKey } = await db.send(
        new QueryCommand({
          TableName: env.ACTIVITY_LOG_TABLE,
          IndexName: index,
          KeyConditionExpression: '#key = :value AND entry_id BETWEEN :low AND :high',
          ExpressionAttributeNames: {
            '#key': key,
            ...(kinds === undefined ? {} : { '#kind': 'kind' }),
            ...(actor === undefined ? {} : { '#actor': 'actor' }),
          },
          ExpressionAttributeValues: {
            ':value': value,
            ':low': low,
            ':high': high,
            ...(actor === undefined ? {} : { ':actor': actor }),
            ...Object.fromEntries(names?.map((name, position) => [name, kinds?.[position]]) ?? []),
          },
          FilterExpression: conditions.length === 0 ? undefined : conditions.join(' AND '),
          ScanIndexForward: false,
          // One more row is read, because BETWEEN includes the upper end, which the previous page has already shown.
          // DynamoDB applies the limit before the filter.
          Limit: pageSize + 1,
        }),
      );
      const last: unknown = LastEvaluatedKey?.entry_id;
      return {
        entries: entriesIn(Items).filter(
          ({ entry_id, client_id = '' }) =>
            entry_id < high && (mode === undefined || modeOf(client_id) === mode),
        ),
        readTo: typeof last === 'string' ? last : undefined,
      };
    };
  }
}

/** Returns the newest entries of all sources. Includes an entry only after every partition was read down to it. */
async function merged(
  sources: readonly Source[],
  high: string,
  limit: number,
  roundsMax: number,
): Promise<ActivityPage> {
  const open = new Map(sources.map((source) => [source, high]));
  const found: Activity[] = [];
  const isNewer = (one: Activity, other: Activity) => (one.entry_id < other.entry_id ? 1 : -1);
  for (let rounds = 1; ; rounds += 1) {
    // Later rounds read only the half of the partitions that is behind, because the others were read further than needed.
    const behindFirst = [...open].toSorted(([, one], [, other]) => (one < other ? 1 : -1));
    await Promise.all(
      behindFirst
        .slice(0, rounds === 1 ? undefined : Math.ceil(open.size / 2))
        .map(async ([source, from]) => {
          const { entries, readTo } = await source(from);
          found.push(...entries);
          if (readTo === undefined) open.delete(source);
          else open.set(source, readTo);
        }),
    );
    const readTo = [...open.values()].reduce((highest, at) => (at > highest ? at : highest), '');
    const ready = found.filter(({ entry_id }) => entry_id >= readTo).toSorted(isNewer);
    const last = ready[limit - 1];
    if (last !== undefined) return { entries: ready.slice(0, limit), nextCursor: last.entry_id };
    if (open.size === 0) return { entries: ready };
    if (rounds >= roundsMax) return { entries: ready, nextCursor: readTo };
  }
}

function timeOf(entryId: string): Date {
  return new Date(decodeTime(entryId.slice('act_'.length)));
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / (secondsPerDay * 1000)) * secondsPerDay * 1000);
}

function lowestOf(at: Date): string {
  return idRange('act', at, at).low;
}
