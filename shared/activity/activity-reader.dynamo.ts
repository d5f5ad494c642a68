/** Pages through the activity log, newest first: by client, by one kind, or day by day if neither is given. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import { addDays, dayOf, secondsPerDay } from '../platform/clock.ts';
import { idRange } from '../platform/ids.ts';
import { type Activity, type ActivityPage, type ActivityQuery, activitySchema } from './activity-log.ts';

/** One request reads at most this many days, so that days without entries cannot make it slow; the cursor continues. */
const partitionsPerPage = 31;
const filteredPageSize = 200;

/** The entries of a partition of the table or of an index, from the newest to the oldest; `high` is exclusive. */
interface Range {
  readonly index?: 'by-client' | 'by-kind';
  readonly key: 'client_id' | 'kind' | 'day';
  readonly value: string;
  readonly low: string;
  readonly high: string;
}

export type ActivityReader = ReturnType<typeof dynamoActivityReader>;

export function dynamoActivityReader(client: DynamoDBDocumentClient, TableName: string) {
  return {
    async list(query: ActivityQuery): Promise<ActivityPage> {
      const { low, high: end } = idRange('act', query.since, query.until);
      const high = query.cursor ?? end;
      // DynamoDB rejects a range whose end is before its start.
      if (high < low) return { entries: [] };
      if (query.clientId !== undefined) {
        return collect({ index: 'by-client', key: 'client_id', value: query.clientId, low, high }, query);
      }
      if (typeof query.kind === 'string') {
        return collect({ index: 'by-kind', key: 'kind', value: query.kind, low, high }, query);
      }
      return byDays(query, low, high);
    },
  };

  async function byDays(query: ActivityQuery, low: string, end: string): Promise<ActivityPage> {
    const entries: Activity[] = [];
    let high = end;
    let day = startOfDay(timeOf(end));
    const oldest = startOfDay(query.since);
    for (let partition = 0; partition < partitionsPerPage; partition += 1) {
      const limit = query.limit - entries.length;
      const page = await collect({ key: 'day', value: dayOf(day), low, high }, { ...query, limit });
      entries.push(...page.entries);
      if (page.nextCursor !== undefined) return { entries, nextCursor: page.nextCursor };
      if (day <= oldest) return { entries };
      high = idRange('act', day, day).low;
      day = addDays(day, -1);
    }
    return { entries, nextCursor: high };
  }

  /** The entries in the range, up to the query's limit. */
  async function collect(range: Range, query: ActivityQuery): Promise<ActivityPage> {
    const kinds = range.key === 'kind' || query.kind === undefined ? [] : [query.kind].flat();
    const isFiltered = kinds.length > 0;
    const names = kinds.map((_kind, index) => `:kind${index}`);
    const entries: Activity[] = [];
    let { high } = range;
    for (let reads = 1; ; reads += 1) {
      // One more, because BETWEEN includes the upper end, which the page before has shown.
      const wanted = query.limit - entries.length + 1;
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: range.index,
          KeyConditionExpression: '#key = :value AND entry_id BETWEEN :low AND :high',
          ExpressionAttributeNames: { '#key': range.key, ...(isFiltered ? { '#kind': 'kind' } : {}) },
          ExpressionAttributeValues: {
            ':value': range.value,
            ':low': range.low,
            ':high': high,
            ...Object.fromEntries(names.map((name, index) => [name, kinds[index]])),
          },
          FilterExpression: isFiltered ? `#kind IN (${names.join(', ')})` : undefined,
          ScanIndexForward: false,
          // DynamoDB applies the limit before the filter.
          Limit: isFiltered ? Math.max(wanted, filteredPageSize) : wanted,
        }),
      );
      for (const item of Items) {
        const entry = activitySchema.parse(item);
        if (entry.entry_id >= high) continue;
        entries.push(entry);
        if (entries.length === query.limit) return { entries, nextCursor: entry.entry_id };
      }
      const last: unknown = LastEvaluatedKey?.entry_id;
      if (typeof last !== 'string') return { entries };
      high = last;
      if (reads === query.readsMax) return { entries, nextCursor: high };
    }
  }
}

function timeOf(entryId: string): Date {
  return new Date(decodeTime(entryId.slice('act_'.length)));
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / (secondsPerDay * 1000)) * secondsPerDay * 1000);
}
