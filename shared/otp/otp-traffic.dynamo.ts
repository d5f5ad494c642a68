/**
 * Counts the SMS with one-time passwords, and those whose password was verified, by client, country and minute, each exactly
 * once, from the stream of the passwords. Both count in the minute in which the password was created, so that a verification
 * belongs to its sends. Whether an SMS is the first message with the password, a resend or a leg of a fallback makes no
 * difference. SMS only: WhatsApp cannot be pumped.
 *
 * The table `otp-traffic` has for each client and country a row for each minute and day, with the passwords sent and verified.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { keptDays } from '../contract/mode.ts';
import { allCountries } from '../contract/otp-abuse.ts';
import { queryRows } from '../platform/aws/read-rows.dynamo.ts';
import { identityOf, rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import {
  addUpNotes,
  type CountContext,
  type CountedChanges,
  type Groups,
  noteChanges,
} from '../usage/count-journal.dynamo.ts';

export interface OtpCount {
  readonly sends: number;
  readonly verified: number;
}

export interface OtpMinute extends OtpCount {
  readonly start: Date;
}

/** A record of the stream: an SMS with a password, or its verification. */
export interface OtpRecord extends OtpCount {
  readonly sequence: string;
  readonly changedAt: Date;
  readonly clientId: string;
  readonly country: string;
  readonly createdAt: Date;
}

/** What `count-journal.dynamo.ts` needs to count passwords. */
export function countingOtps(
  tables: { readonly journalTable: string; readonly trafficTable: string },
  { dynamo, clock, sleep }: Pick<CountContext, 'dynamo' | 'clock' | 'sleep'>,
): CountContext {
  const { journalTable, trafficTable: sumsTable } = tables;
  return { dynamo, clock, sleep, journalTable, journal: 'one-time-passwords', sumsTable, rowsOf };
}

/**
 * Returns when the records are in the sums, which are reviewed next.
 *
 * @throws if they may not be: all records must be passed again.
 */
export async function countOtps(
  ctx: CountContext,
  shard: string,
  records: readonly OtpRecord[],
): Promise<CountedChanges> {
  const changes = records.map((record) => ({ sequence: record.sequence, groups: groupsOf(record) }));
  const counted = await noteChanges(ctx, shard, changes);
  await addUpNotes(ctx, { waits: true });
  return counted;
}

const nameLength = { minute: 16, day: 10 } as const;
type Span = keyof typeof nameLength;

function spanName(span: Span, at: Date): string {
  return at.toISOString().slice(0, nameLength[span]);
}

/** Returns the amounts of a record in its minute: for its country, and for all (`*`), by country. */
function groupsOf({ clientId, country, createdAt, sends, verified }: OtpRecord): Groups {
  const amounts = Object.entries({ sends, verified }).filter(([, amount]) => amount > 0);
  const byCountry = amounts.map(([column, amount]) => [`${column}_${country}`, amount] as const);
  const groupIn = (named: string): string => `${spanName('minute', createdAt)} ${named} ${clientId}`;
  return new Map([
    [groupIn(country), new Map(amounts)],
    [groupIn(allCountries), new Map(byCountry)],
  ]);
}

function rowsOf(group: string) {
  const [, minute = '', country = '', clientId = ''] = /^(\S+) (\S+) (.*)$/.exec(group) ?? [];
  return (['minute', 'day'] as const).map((span) => {
    const name = minute.slice(0, nameLength[span]);
    return {
      key: { client_country: clientCountry(clientId, country), span: `${span}#${name}` },
      purgeAt: epochSeconds(addDays(startOf(name), keptDays(clientId, keptDaysAfter[span] + 1))),
    };
  });
}

/** Longer than anything that reads them: minutes are read for an hour, days for a week. */
const keptDaysAfter = { minute: 1, day: 30 } as const;

const spanRow = z.looseObject({
  span: z.string(),
  sends: z._default(z.number(), 0),
  verified: z._default(z.number(), 0),
});
const ofCountry = /^(sends|verified)_([A-Z0-9]{2,3})$/;

/** Bounded to what DynamoDB takes as a key, so that no row that a person edited can stop the counting. */
const countedOtp = z.object({
  client_id: z.string().check(z.regex(/^[^#]{1,255}$/)),
  sms_sends: z.int(),
  country: z.string().check(z.regex(/^[A-Z0-9]{2,3}$/)),
  status: z.enum(['pending', 'verified']),
  created_at: z.iso.datetime(),
});

/**
 * The SMS with passwords and the verifications in these records; attempts and other rows of the table are left out.
 *
 * @throws Error if a record has no number or time, which DynamoDB gives to each.
 */
export function otpRecords(records: readonly StreamRecord[]): OtpRecord[] {
  return records.flatMap((record) => {
    const { dynamodb } = record;
    const after = countedOtp.safeParse(rowIn(dynamodb?.NewImage));
    if (!after.success) return [];
    const before = countedOtp.safeParse(rowIn(dynamodb?.OldImage));
    const now = countOf(after.data);
    const then = before.success ? countOf(before.data) : { sends: 0, verified: 0 };
    const { sends, verified } = { sends: now.sends - then.sends, verified: now.verified - then.verified };
    if (sends <= 0 && verified <= 0) return [];
    return [
      {
        ...identityOf(record),
        sends,
        verified,
        clientId: after.data.client_id,
        country: after.data.country,
        createdAt: new Date(after.data.created_at),
      },
    ];
  });
}

/** A verification proves that somebody had each SMS with the password: nobody knows which one was read. */
function countOf(otp: z.output<typeof countedOtp>): OtpCount {
  const { sms_sends: sends, status } = otp;
  return { sends, verified: status === 'verified' ? sends : 0 };
}

export type OtpTrafficReader = ReturnType<typeof dynamoOtpTrafficReader>;

export function dynamoOtpTrafficReader(client: DynamoDBDocumentClient, TableName: string) {
  async function spans(key: string, span: Span, since: Date, until: Date) {
    const rows: (OtpMinute & { readonly row: Readonly<Record<string, unknown>> })[] = [];
    const found = queryRows(client, {
      TableName,
      KeyConditionExpression: '#key = :key AND #span BETWEEN :first AND :last',
      ExpressionAttributeNames: { '#key': 'client_country', '#span': 'span' },
      ExpressionAttributeValues: {
        ':key': key,
        ':first': `${span}#${spanName(span, since)}`,
        ':last': `${span}#${spanName(span, until)}`,
      },
      // Just written by the caller.
      ConsistentRead: true,
    });
    for await (const item of found) {
      const row = spanRow.safeParse(item);
      const start = row.success ? startOf(row.data.span.slice(span.length + 1)) : undefined;
      if (row.success && start !== undefined && start < until) {
        rows.push({ start, sends: row.data.sends, verified: row.data.verified, row: row.data });
      }
    }
    return rows;
  }

  return {
    /** The minutes from `since` until `until` (exclusive) that have passwords, oldest first; the latest state. */
    minutes: (clientId: string, country: string, since: Date, until: Date): Promise<readonly OtpMinute[]> =>
      spans(clientCountry(clientId, country), 'minute', since, until),
    /** The sum of whole UTC days, from that of `since` until that before `until`. */
    async days(clientId: string, country: string, since: Date, until: Date): Promise<OtpCount> {
      const midnight = startOf(spanName('day', until));
      const rows = await spans(clientCountry(clientId, country), 'day', since, midnight);
      return totalOf(rows);
    },
    /** Returns the same as `minutes`, for each country of the client. */
    async allMinutes(clientId: string, since: Date, until: Date): Promise<readonly CountryMinute[]> {
      return byCountry(await spans(clientCountry(clientId, allCountries), 'minute', since, until));
    },
    /** The days of each country of the client, from that of `since` until that before `until`. */
    async allDays(clientId: string, since: Date, until: Date): Promise<readonly CountryMinute[]> {
      const midnight = startOf(spanName('day', until));
      return byCountry(await spans(clientCountry(clientId, allCountries), 'day', since, midnight));
    },
  };
}

export function totalOf(counts: readonly OtpCount[]): OtpCount {
  return {
    sends: counts.reduce((sum, { sends }) => sum + sends, 0),
    verified: counts.reduce((sum, { verified }) => sum + verified, 0),
  };
}

export interface CountryMinute extends OtpMinute {
  readonly country: string;
}

function byCountry(
  rows: readonly { readonly start: Date; readonly row: Readonly<Record<string, unknown>> }[],
): CountryMinute[] {
  return rows.flatMap(({ start, row }) => {
    const countries = new Map<string, { start: Date; country: string; sends: number; verified: number }>();
    for (const [attribute, value] of Object.entries(row)) {
      const [, column, country] = ofCountry.exec(attribute) ?? [];
      if (country === undefined || typeof value !== 'number') continue;
      const count = countries.get(country) ?? { start, country, sends: 0, verified: 0 };
      countries.set(country, { ...count, [column as keyof OtpCount]: value });
    }
    return [...countries.values()];
  });
}

function clientCountry(clientId: string, country: string): string {
  return `${clientId}#${country}`;
}

function startOf(name: string): Date {
  return new Date(`${name}${'0000-01-01T00:00:00.000Z'.slice(name.length)}`);
}
