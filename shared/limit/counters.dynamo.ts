/**
 * Counts in rows of the table `rate-counters`: requests, messages, spend, and attempts of webhooks. An addition is one
 * conditional write of one write unit, without a read. It counts in every window or in none, so that a limit is never
 * exceeded, under any concurrency. If a response is lost, the SDK repeats the call: it counts once more, and never
 * beyond a limit.
 *
 * A row has an attribute for each window. An addition removes the windows that had ended when this process last
 * counted in the row, so that the row stays small.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';
import { endedAttributes } from './windows.ts';

const rememberedRows = 5000;

export type Counters = ReturnType<typeof countersIn>;

export function countersIn(db: DynamoDBDocumentClient, tableName: string) {
  return { db, tableName, ended: new ExpiringMap<readonly string[]>(rememberedRows) };
}

/** Integers by attribute. */
type Counts = Readonly<Record<string, number>>;

/** A row as it is read; `countIn` reads a count of it. */
export type CountedRow = Readonly<Record<string, unknown>>;

interface Addition {
  /** The key of the row. */
  readonly counter: string;
  readonly amounts: Counts;
  /** The most that an attribute may have afterwards. Attributes without a limit are only counted. */
  readonly limits?: Counts;
  /** Seconds since the epoch. */
  readonly purgeAt: number;
}

/**
 * Adds every amount, or none. Returns the row as it is afterwards, or, if nothing was added, as the condition saw it.
 * Uses the client without the document layer, because every request makes this call.
 */
export async function add(
  { db, tableName, ended }: Counters,
  { counter, amounts, limits = {}, purgeAt }: Addition,
  now: Date,
): Promise<{ readonly added: boolean; readonly row: CountedRow }> {
  const values: Record<string, AttributeValue> = { ':purge_at': { N: String(purgeAt) } };
  const named = (name: string, value: number): string => {
    values[name] = { N: String(value) };
    return name;
  };
  const sums = Object.entries(amounts).map(([name, amount], i) => `${name} ${named(`:add${i}`, amount)}`);
  const conditions = Object.entries(limits).map(([name, limit], i) => {
    const room = limit - (amounts[name] ?? 0);
    const fits = `${name} <= ${named(`:room${i}`, room)}`;
    // An absent attribute counts as 0, but even then an addition must not exceed the limit by itself.
    return room < 0 ? fits : `(attribute_not_exists(${name}) OR ${fits})`;
  });
  const removed = ended.get(counter, now) ?? [];
  const adding = await conditionalUpdateItem(db, {
    TableName: tableName,
    Key: { counter: { S: counter } },
    UpdateExpression: `ADD ${sums.join(', ')} SET purge_at = :purge_at${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
    ConditionExpression: conditions.length === 0 ? undefined : conditions.join(' AND '),
    ExpressionAttributeValues: values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!adding.applied) return { added: false, row: adding.row ?? {} };
  const row = unmarshall(adding.response.Attributes ?? {}, { wrapNumbers: Number });
  ended.set(counter, endedAttributes(Object.keys(row), now), now, purgeAt * 1000);
  return { added: true, row };
}

/** Reads a row for a person, or for a dry run. Returns an empty object if there is none. */
export async function readCounts({ db, tableName }: Counters, counter: string): Promise<CountedRow> {
  const { Item } = await db.send(
    new GetCommand({ TableName: tableName, Key: { counter }, ConsistentRead: true }),
  );
  return Item ?? {};
}

/** Returns a count of a row. An absent one is 0. A corrupt count is treated as full. */
export function countIn(row: CountedRow, attribute: string): number {
  const { [attribute]: count = 0 } = row;
  return typeof count === 'number' ? count : Number.MAX_SAFE_INTEGER;
}
