/**
 * Counts a request in three windows with one conditional write of one write unit, without a read: exact under any
 * concurrency. If a response is lost, the SDK repeats the call: it counts once more, and never beyond a limit.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Limits } from '../contract/rate-limits-and-caps.ts';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import { type PerWindow, perWindow, type Windows, windowSeconds } from './windows.ts';

const keptDaysAfterUse = 2;

export interface CountRequest {
  /** The row's key: subject, endpoint and UTC day. */
  readonly counter: string;
  readonly windows: Windows;
  readonly limits: Limits;
  /** Attributes of past minutes to remove in the same write. */
  readonly staleAttributes: readonly string[];
}

export interface CountOutcome {
  readonly admitted: boolean;
  /** Requests counted in each window, including this one if it was admitted. */
  readonly used: PerWindow<number>;
}

/** Counts one request in all three windows, or in none. */
export type CountInRow = ReturnType<typeof dynamoRateCounter>;

/** Uses the client without the document layer, because every request makes this call. */
export function dynamoRateCounter(dynamo: DynamoDBDocumentClient, TableName: string) {
  return async ({ counter, windows, limits, staleAttributes }: CountRequest): Promise<CountOutcome> => {
    const { minute, hour, day } = windows.attributes;
    const hasRoom = (attribute: string, limit: string): string =>
      `(attribute_not_exists(${attribute}) OR ${attribute} < ${limit})`;
    const remove = staleAttributes.length === 0 ? '' : ` REMOVE ${staleAttributes.join(', ')}`;
    const counting = await conditionalUpdateItem(dynamo, {
      TableName,
      Key: { counter: { S: counter } },
      UpdateExpression: `ADD ${day} :one, ${hour} :one, ${minute} :one SET purge_at = :purge_at${remove}`,
      ConditionExpression: `${hasRoom(day, ':per_day')} AND ${hasRoom(hour, ':per_hour')} AND ${hasRoom(minute, ':per_minute')}`,
      ExpressionAttributeValues: {
        ':one': numeric(1),
        ':per_day': numeric(limits.perDay),
        ':per_hour': numeric(limits.perHour),
        ':per_minute': numeric(limits.perMinute),
        ':purge_at': numeric(windows.resetsAt.day + keptDaysAfterUse * windowSeconds.day),
      },
      ReturnValues: 'UPDATED_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    // A refusal returns the row as the condition saw it, with the windows that are full.
    const row = counting.applied ? unmarshall(counting.response.Attributes ?? {}) : (counting.row ?? {});
    return { admitted: counting.applied, used: usedIn(row, windows) };
  };
}

function numeric(value: number): AttributeValue {
  return { N: String(value) };
}

/** Returns the counts of a counter's row in these windows. */
function usedIn(row: Readonly<Record<string, unknown>>, { attributes }: Windows): PerWindow<number> {
  return perWindow((window) => countIn(row[attributes[window]]));
}

/** Returns the count. An absent attribute is a window without requests. A corrupt count is treated as full. */
function countIn(value: unknown = 0): number {
  return typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER;
}

/** Reads for administrators how many requests are counted in the present windows. The limiter itself never reads. */
export function dynamoRateUse(dynamo: DynamoDBDocumentClient, TableName: string) {
  return async (counter: string, windows: Windows): Promise<PerWindow<number>> => {
    const { Item = {} } = await dynamo.send(
      new GetCommand({ TableName, Key: { counter }, ConsistentRead: true }),
    );
    return usedIn(Item, windows);
  };
}
