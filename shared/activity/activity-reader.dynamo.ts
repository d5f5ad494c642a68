/** Pages through the activity log, newest first: by client, by kind, or day by day where neither is given. */
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import { addDays, dayOf, secondsPerDay } from '../platform/clock.ts';
import { idRange } from '../platform/ids.ts';
import {
  type Activity,
  type ActivityPage,
  type ActivityQuery,
  type ActivityReader,
  activitySchema,
} from './activity-log.ts';

/** A look-up of quiet days ends after so many, with a cursor to go on from. */
const partitionsPerPage = 31;
const filteredPageSize = 200;

/** One walk over a partition of the table or of an index, from its newest entry in range to its oldest. */
interface Walk {
  readonly index?: 'by-client' | 'by-kind';
  readonly key: 'client_id' | 'kind' | 'day';
  readonly value: string;
}

export function dynamoActivityReader(client: DynamoDBDocumentClient, TableName: string): ActivityReader {
  return {
    async list(query) {
      const range = idRange('act', query.since, query.until);
      const high = query.cursor ?? range.high;
      // A time that ends before it begins holds nothing; DynamoDB would call it a fault.
      if (high < range.low) return { entries: [] };
      if (query.clientId !== undefined) {
        return collect(
          { index: 'by-client', key: 'client_id', value: query.clientId },
          query,
          range.low,
          high,
        );
      }
      if (query.kind !== undefined) {
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

  /** The entries of one walk that are below `high`, until there are enough or none are left. */
  async function collect(walk: Walk, query: ActivityQuery, low: string, high: string): Promise<ActivityPage> {
    const entries: Activity[] = [];
    let upper = high;
    for (;;) {
      // The range includes its upper end, which belongs to the page before.
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
    }
  }

  function queryInput(
    walk: Walk,
    query: ActivityQuery,
    low: string,
    high: string,
    Limit: number,
  ): QueryCommandInput {
    const filtered = walk.key !== 'kind' && query.kind !== undefined;
    return {
      TableName,
      ...(walk.index === undefined ? {} : { IndexName: walk.index }),
      KeyConditionExpression: '#key = :value AND entry_id BETWEEN :low AND :high',
      ExpressionAttributeNames: { '#key': walk.key, ...(filtered ? { '#kind': 'kind' } : {}) },
      ExpressionAttributeValues: {
        ':value': walk.value,
        ':low': low,
        ':high': high,
        ...(filtered ? { ':kind': query.kind } : {}),
      },
      ...(filtered ? { FilterExpression: '#kind = :kind' } : {}),
      ScanIndexForward: false,
      // What a filter drops was read all the same.
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
