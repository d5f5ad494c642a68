/**
 * Counts a request with one conditional write of one write unit, without a read: exact under any concurrency. A call that
 * the SDK repeats after a lost response counts once more, and never beyond a limit.
 */
import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import {
  type CountOutcome,
  type CountRequest,
  fullCount,
  type Generation,
  type Opening,
  type RateCounter,
  shardKeys,
} from './shards.ts';
import { type PerWindow, perWindow, type Windows, windowSeconds } from './windows.ts';

const keptDaysAfterUse = 2;

type Row = Readonly<Record<string, unknown>>;

export function dynamoRateCounter(dynamo: DynamoDBDocumentClient, TableName: string): RateCounter {
  const keyOf = (counter: string) => ({ counter: { S: counter } });
  return {
    count: (request) => countInDynamo(dynamo, TableName, request),
    async latest(base, known, windows) {
      const touched = await conditionalUpdateItem(dynamo, {
        TableName,
        Key: keyOf(base),
        UpdateExpression: 'SET purge_at = :purge_at',
        ConditionExpression: 'generation = :generation',
        ExpressionAttributeValues: marshall({
          ':purge_at': purgeAt(windows),
          ':generation': known.generation,
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return touched.applied ? known : namedIn(touched.row);
    },
    async close(row, opening, windows) {
      const { Attributes = {} } = await dynamo.send(
        new UpdateItemCommand({
          TableName,
          Key: keyOf(row),
          UpdateExpression: 'SET closed = if_not_exists(closed, :closed), purge_at = :purge_at',
          ExpressionAttributeValues: marshall({ ':closed': opening, ':purge_at': purgeAt(windows) }),
          ReturnValues: 'ALL_NEW',
        }),
      );
      const closed = unmarshall(Attributes);
      return { opening: closed.closed as Opening, counts: countsIn(closed) };
    },
    async open(base, after, { limits, openedAt, shards, carried }, windows) {
      const counts = Object.entries(carried);
      const opening = await conditionalUpdateItem(dynamo, {
        TableName,
        Key: keyOf(base),
        UpdateExpression: `SET ${[
          'closed = :closed, generation = :generation, shards = :shards, purge_at = :purge_at',
          ...counts.map(([attribute], index) => `${attribute} = :count${index}`),
        ].join(', ')}`,
        ConditionExpression: after === 0 ? 'attribute_not_exists(closed)' : 'generation = :after',
        ExpressionAttributeValues: marshall(
          {
            ':closed': { limits, openedAt } satisfies Opening,
            ':generation': after + 1,
            ':shards': shards,
            ':purge_at': purgeAt(windows),
            ...Object.fromEntries(counts.map(([, count], index) => [`:count${index}`, count])),
            ':after': after === 0 ? undefined : after,
          },
          { removeUndefinedValues: true },
        ),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return namedIn(opening.applied ? unmarshall(opening.response.Attributes ?? {}) : opening.row);
    },
  };
}

/** Uses the client without the document layer, because every request makes this call. */
async function countInDynamo(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  { counter, windows, limits, staleAttributes }: CountRequest,
): Promise<CountOutcome> {
  const { minute, hour, day } = windows.attributes;
  const hasRoom = (attribute: string, limit: string): string =>
    `(attribute_not_exists(${attribute}) OR ${attribute} < ${limit})`;
  const remove = staleAttributes.length === 0 ? '' : ` REMOVE ${staleAttributes.join(', ')}`;
  const counting = await conditionalUpdateItem(dynamo, {
    TableName: tableName,
    Key: { counter: { S: counter } },
    UpdateExpression: `ADD ${day} :one, ${hour} :one, ${minute} :one SET purge_at = :purge_at${remove}`,
    ConditionExpression: `attribute_not_exists(closed) AND ${hasRoom(day, ':per_day')} AND ${hasRoom(hour, ':per_hour')} AND ${hasRoom(minute, ':per_minute')}`,
    ExpressionAttributeValues: {
      ':one': numeric(1),
      ':per_day': numeric(limits.perDay),
      ':per_hour': numeric(limits.perHour),
      ':per_minute': numeric(limits.perMinute),
      ':purge_at': numeric(purgeAt(windows)),
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  // A refusal returns the row as the condition saw it, with the windows that are full.
  const row = counting.applied ? unmarshall(counting.response.Attributes ?? {}) : (counting.row ?? {});
  return {
    admitted: counting.applied,
    used: usedIn(row, windows),
    ...(!counting.applied && row.closed !== undefined
      ? { closed: withoutUndefined({ named: generationIn(row) }) }
      : {}),
  };
}

function numeric(value: number): AttributeValue {
  return { N: String(value) };
}

function purgeAt({ resetsAt }: Windows): number {
  return resetsAt.day + keptDaysAfterUse * windowSeconds.day;
}

/** @throws Error if the row is not a base that names a generation. */
function namedIn(row: Row | undefined): Generation {
  const generation = generationIn(row ?? {});
  if (generation === undefined) throw new Error('the base of a rate counter names no generation');
  return generation;
}

/** The generation that this row names, if it is a base that does not count any more. */
function generationIn(row: Row): Generation | undefined {
  const { closed, generation, shards } = row;
  if (typeof generation !== 'number' || typeof shards !== 'number') return undefined;
  return { ...(closed as Opening), generation, shards, carried: countsIn(row) };
}

const countAttribute = /^(?:d|h\d\d|m\d{4})$/;

function countsIn(row: Row): Record<string, number> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([attribute]) => countAttribute.test(attribute))
      .map(([attribute, count]) => [attribute, countIn(count)]),
  );
}

/** The counts of a counter's row in these windows. */
export function usedIn(row: Row, { attributes }: Windows): PerWindow<number> {
  return perWindow((window) => countIn(row[attributes[window]]));
}

/** An absent attribute is a window without requests. */
function countIn(value: unknown = 0): number {
  return typeof value === 'number' ? Math.min(fullCount, Math.max(0, Math.ceil(value))) : fullCount;
}

/**
 * Reads how many requests are counted in the present windows, for people: the limiter itself never reads. It is what a client
 * or address has used of an endpoint on a UTC day, by the key of the base: the sum of all rows that count it.
 */
export function dynamoRateUse(dynamo: DynamoDBDocumentClient, TableName: string) {
  return async (base: string, windows: Windows): Promise<PerWindow<number>> => {
    const { Item = {} } = await dynamo.send(
      new GetCommand({ TableName, Key: { counter: base }, ConsistentRead: true }),
    );
    const generation = generationIn(Item);
    const shards =
      generation === undefined
        ? []
        : await batchRead(
            dynamo,
            TableName,
            shardKeys(base, generation).map((counter) => ({ counter })),
            { ProjectionExpression: Object.values(windows.attributes).join(', '), ConsistentRead: true },
          );
    const used = [Item, ...shards].map((row) => usedIn(row, windows));
    return perWindow((window) => used.reduce((sum, counts) => sum + counts[window], 0));
  };
}
