/** Pages through the activity log, newest first: by client, by one kind, or day by day if neither is given. */
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import { addDays, dayOf, secondsPerDay } from '../platform/clock.ts';
import { idRange } from '../platform/ids.ts';
import { type Activity, type ActivityPage, type ActivityQuery, activitySchema } from './activity-log.ts';

/** One request reads at most this many days, so that days without entries cannot make it slow; the cursor continues. */
const partitionsPerPage = 31;
const filteredPageSize = 200;

/** A partition of the table or of an index, read from its newest entry to its oldest. */
interface Walk {
  readonly index?: 'by-client' | 'by-kind';
  readonly key: 'client_id' | 'kind' | 'day';
  readonly value: string;
}

export type ActivityReader = ReturnType<typeof dynamoActivityReader>;

export function dynamoActivityReader(client: DynamoDBDocumentClient, TableName: string) {
  return {
    async list(query: ActivityQuery): Promise<ActivityPage> {
      const range = idRange('act', query.since, query.until);
      const high = query.cursor ?? range.high;
      // DynamoDB rejects a range whose end is before its start.
      if (high < range.low) return { entries: [] };
      if (query.clientId !== undefined) {
        return collect(
          { index: 'by-client', key: 'client_id', value: query.clientId },
          query,
          range.low,
          high,
        );
      }
      if (typeof query.kind === 'string') {
        return collect({ index: 'by-kind', key: 'kind', value: query.kind }, query, range.low, high);
      }
      return byDays(query, range.low, high);
    },
  };

  async function byDays(query: ActivityQuery, low: string, high: string): Promise<ActivityPage> {
    const entries: Activity[] = [];
    let upper = high;
    let day = startOfDay(timeOf(high));
    const oldest = startOfDay(query.since);
    for (let partition = 0; partition < partitionsPerPage; partition += 1) {
      const walk: Walk = { key: 'day', value: dayOf(day) };
      const page = await collect(walk, { ...query, limit: query.limit - entries.length }, low, upper);
      entries.push(...page.entries);
      if (page.nextCursor !== undefined) return { entries, nextCursor: page.nextCursor };
      if (day <= oldest) return { entries };
      upper = idRange('act', day, day).low;
      day = addDays(day, -1);
    }
    return { entries, nextCursor: upper };
  }

  /** The entries of one partition that are below `high`, up to the query's limit. */
  async function collect(walk: Walk, query: ActivityQuery, low: string, high: string): Promise<ActivityPage> {
    const entries: Activity[] = [];
    let upper = high;
    for (let reads = 1; ; reads += 1) {
      // One more, because BETWEEN includes the upper end, which the page before has shown.
      const wanted = query.limit - entries.length + 1;
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand(queryInput(walk, query, low, upper, wanted)),
      );
      for (const item of Items) {
        const entry = activitySchema.parse(item);
        if (entry.entry_id >= upper) continue;
        entries.push(entry);
        if (entries.length === query.limit) return { entries, nextCursor: entry.entry_id };
      }
      const last: unknown = LastEvaluatedKey?.entry_id;
      if (typeof last !== 'string') return { entries };
      upper = last;
      if (reads === query.readsMax) return { entries, nextCursor: upper };
    }
  }

  function queryInput(
    walk: Walk,
    query: ActivityQuery,
    low: string,
    high: string,
    Limit: number,
  ): QueryCommandInput {
    const kinds = walk.key === 'kind' || query.kind === undefined ? [] : [query.kind].flat();
    const filtered = kinds.length > 0;
    const names = kinds.map((_kind, index) => `:kind${index}`);
    return {
      TableName,
      ...(walk.index === undefined ? {} : { IndexName: walk.index }),
      KeyConditionExpression: '#key = :value AND entry_id BETWEEN :low AND :high',
      ExpressionAttributeNames: { '#key': walk.key, ...(filtered ? { '#kind': 'kind' } : {}) },
      ExpressionAttributeValues: {
        ':value': walk.value,
        ':low': low,
        ':high': high,
        ...Object.fromEntries(names.map((name, index) => [name, kinds[index]])),
      },
      ...(filtered ? { FilterExpression: `#kind IN (${names.join(', ')})` } : {}),
      ScanIndexForward: false,
      // DynamoDB applies the limit before the filter.
      Limit: filtered ? Math.max(Limit, filteredPageSize) : Limit,
    };
  }
}

function timeOf(entryId: string): Date {
  return new Date(decodeTime(entryId.slice('act_'.length)));
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / (secondsPerDay * 1000)) * secondsPerDay * 1000);
}
