/**
 * Counts in rows of the table `rate-counters`: requests, messages and spend. Each addition is one conditional write of one
 * write unit, without a read. It counts in all windows or in none, so no limit is ever exceeded, under any concurrency. If
 * a response is lost, the SDK's retry counts again, but never beyond a limit.
 *
 * A row has an attribute for each window. To keep the row small, an addition also removes windows that had ended when this
 * process last counted in the row.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { CapWindow, Limits } from '../contract/rate-limits-and-caps.ts';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import { epochSeconds, secondsPerDay } from '../platform/clock.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';

/** Shortest first. */
export const windowNames = ['minute', 'hour', 'day'] as const;

export type WindowName = (typeof windowNames)[number];

export function perWindow<T>(of: (window: WindowName) => T): Readonly<Record<WindowName, T>> {
  return { minute: of('minute'), hour: of('hour'), day: of('day') };
}

export const windowSeconds = { minute: 60, hour: 3600, day: secondsPerDay } as const;

/** The UTC windows of a time. */
export interface Windows {
  /** The day and the month, such as `2026-11-20` and `2026-11`, which are parts of row keys. */
  readonly day: string;
  readonly month: string;
  /** The attributes that count these windows, such as `m201005`, `h2010`, `d20` and `month` for 10:05 on the 20th. */
  readonly attributes: Readonly<Record<CapWindow, string>>;
  /** Seconds since the epoch. */
  readonly resetsAt: Readonly<Record<CapWindow, number>>;
}

export function windowsAt(now: Date): Windows {
  const iso = now.toISOString();
  const [dd, hh, mm] = [iso.slice(8, 10), iso.slice(11, 13), iso.slice(14, 16)];
  const seconds = epochSeconds(now);
  const end = (length: number): number => seconds - (seconds % length) + length;
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    attributes: { minute: `m${dd}${hh}${mm}`, hour: `h${dd}${hh}`, day: `d${dd}`, month: 'month' },
    resetsAt: {
      minute: end(windowSeconds.minute),
      hour: end(windowSeconds.hour),
      day: end(windowSeconds.day),
      month: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000,
    },
  };
}

const limitNames = { minute: 'perMinute', hour: 'perHour', day: 'perDay' } as const satisfies Record<
  WindowName,
  keyof Limits
>;

export function limitOf(limits: Limits, window: WindowName): number {
  return limits[limitNames[window]];
}

export function limitsBy(of: (window: WindowName) => number): Limits {
  return { perMinute: of('minute'), perHour: of('hour'), perDay: of('day') };
}

/** How long a window is kept after its end, because a process whose clock is behind may still add to it. */
const keptSeconds = 240;
/** The maximum number of windows that one write removes, which keeps the expression below DynamoDB's 4 KB. */
const removedAtOnce = 90;

const windowed = /^(?:[a-z_]+_)?([dhm])(\d\d)(\d\d)?(\d\d)?(_\d+)?$/;
const lengths = { m: windowSeconds.minute, h: windowSeconds.hour, d: windowSeconds.day } as const;

/** Returns the attributes of windows that have ended. @param now - a time in the month of the row */
export function endedAttributes(attributes: Iterable<string>, now: Date): string[] {
  const keptFrom = now.getTime() / 1000 - keptSeconds;
  const ended: string[] = [];
  for (const attribute of attributes) {
    const [, kind, day, hour = '0', minute = '0'] = windowed.exec(attribute) ?? [];
    if (kind === undefined) continue;
    const begin = Date.UTC(
      now.getUTCFullYear(),
      now.getUTCMonth(),
      Number(day),
      Number(hour),
      Number(minute),
    );
    if (begin / 1000 + lengths[kind as keyof typeof lengths] <= keptFrom) ended.push(attribute);
  }
  return ended.slice(0, removedAtOnce);
}

const rememberedRows = 5000;

/** For each row's key, the attributes of windows that had ended when this process last counted in the row. */
const endedWindows = oncePerContext(
  (_context: Context<'RATE_COUNTERS_TABLE'>) => new ExpiringMap<readonly string[]>(rememberedRows),
);

/**
 * Adds either all amounts or none. Returns the row after the addition. If nothing was added, returns the row for which the
 * condition was false. Uses the client without the document layer, because every request makes this call.
 *
 * @param addition - `counter` is the key of the row, `amounts` are integers by attribute, `limits` are the maximum values
 * after the addition (an attribute without a limit is only counted), `purgeAt` is in seconds since the epoch
 */
export async function addCounts(
  context: Context<'RATE_COUNTERS_TABLE'>,
  {
    counter,
    amounts,
    limits = {},
    purgeAt,
  }: {
    readonly counter: string;
    readonly amounts: Readonly<Record<string, number>>;
    readonly limits?: Readonly<Record<string, number>>;
    readonly purgeAt: number;
  },
  now: Date,
): Promise<{ readonly added: boolean; readonly row: Readonly<Record<string, unknown>> }> {
  const values: Record<string, AttributeValue> = { ':purge_at': { N: String(purgeAt) } };
  const named = (name: string, value: number): string => {
    values[name] = { N: String(value) };
    return name;
  };
  const sums = Object.entries(amounts).map(([name, amount], i) => `${name} ${named(`:add${i}`, amount)}`);
  const conditions = Object.entries(limits).map(([name, limit], i) => {
    const room = limit - (amounts[name] ?? 0);
    const fits = `${name} <= ${named(`:room${i}`, room)}`;
    // An absent attribute counts as 0. Even then, one addition must not exceed the limit.
    return room < 0 ? fits : `(attribute_not_exists(${name}) OR ${fits})`;
  });
  const ended = endedWindows(context);
  const removed = ended.get(counter, now) ?? [];
  const adding = await conditionalUpdateItem(context.db, {
    TableName: context.env.RATE_COUNTERS_TABLE,
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

/** The attribute that counts the requests that an observing row would have refused. Caps have one each, for their amounts. */
export const observedRefused = 'observed_refused';

/** Adds to a count of refusals by an observing row. A failure is logged, because it must not fail the request. */
export async function addObserved(
  context: Context<'RATE_COUNTERS_TABLE'>,
  addition: Parameters<typeof addCounts>[1],
  now: Date,
): Promise<void> {
  try {
    await addCounts(context, addition, now);
  } catch (error) {
    context.warn('refusal by an observing row not counted', error);
  }
}

/** Reads a row for display or a dry run. Returns an empty object if the row does not exist. */
export async function readCounts(
  { db, env }: Context<'RATE_COUNTERS_TABLE'>,
  counter: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { Item } = await db.send(
    new GetCommand({ TableName: env.RATE_COUNTERS_TABLE, Key: { counter }, ConsistentRead: true }),
  );
  return Item ?? {};
}

/** Returns a count in a row; 0 if it is absent. A corrupt count is treated as full. */
export function countIn(row: Readonly<Record<string, unknown>>, attribute: string): number {
  const { [attribute]: count = 0 } = row;
  return typeof count === 'number' ? count : Number.MAX_SAFE_INTEGER;
}
