/**
 * Counts the SMS with one-time passwords, and those whose password was verified, by client, country and minute. Each SMS
 * counts exactly once, from the stream of the passwords. Both counts are for the minute in which the password was created,
 * so that a verification belongs to its SMS. The first SMS with a password, a resend and a fallback leg count alike.
 * WhatsApp messages are not counted, because they bring no profit from SMS pumping.
 *
 * The table `otp-traffic` has one row for each minute and day of a client, with the counts for each country.
 */
import * as z from 'zod/mini';
import { keptDays } from '../contract/mode.ts';
import { queryRows } from '../platform/aws/read-rows.dynamo.ts';
import { identityOf, rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import {
  addUpNotes,
  type CountedChanges,
  type Counter,
  counterOf,
  type Groups,
  noteChanges,
} from '../usage/count-journal.dynamo.ts';

export interface OtpCount {
  readonly sends: number;
  readonly verified: number;
}

/** The counts of the passwords that a client created in one minute for one country. */
export interface OtpMinute extends OtpCount {
  readonly start: Date;
  readonly country: string;
}

/** A record of the stream: an SMS with a password, or the verification of its password. */
export interface OtpRecord extends OtpCount {
  readonly sequence: string;
  readonly changedAt: Date;
  readonly clientId: string;
  readonly country: string;
  readonly createdAt: Date;
}

export function otpCounter(context: Context<'COUNT_JOURNAL_TABLE' | 'OTP_TRAFFIC_TABLE'>): Counter {
  return counterOf(context, {
    journal: 'one-time-passwords',
    sumsTable: context.env.OTP_TRAFFIC_TABLE,
    rowsOf,
  });
}

/**
 * Adds the records to the counts.
 *
 * @throws if a record may not be added; the caller then passes all records again.
 */
export async function countOtps(
  counter: Counter,
  shard: string,
  records: readonly OtpRecord[],
): Promise<CountedChanges> {
  const changes = records.map((record) => ({ sequence: record.sequence, groups: groupsOf(record) }));
  const counted = await noteChanges(counter, shard, changes);
  await addUpNotes(counter, { waits: true });
  return counted;
}

const nameLength = { minute: 16, day: 10 } as const;
function spanName(span: keyof typeof nameLength, at: Date): string {
  return at.toISOString().slice(0, nameLength[span]);
}

function groupsOf({ clientId, country, createdAt, sends, verified }: OtpRecord): Groups {
  const amounts = Object.entries({ [`sends_${country}`]: sends, [`verified_${country}`]: verified });
  const group = `${spanName('minute', createdAt)} ${clientId}`;
  return new Map([[group, new Map(amounts.filter(([, amount]) => amount > 0))]]);
}

function rowsOf(group: string) {
  const [, minute = '', clientId = ''] = /^(\S+) (.*)$/.exec(group) ?? [];
  return (['minute', 'day'] as const).map((span) => {
    const name = minute.slice(0, nameLength[span]);
    return {
      key: { client_id: clientId, span: `${span}#${name}` },
      purgeAt: epochSeconds(addDays(startOf(name), keptDays(clientId, keptDaysAfter[span] + 1))),
    };
  });
}

/** Rows are kept longer than they are read. Minutes are read for an hour, days for 30 days. */
const keptDaysAfter = { minute: 1, day: 30 } as const;

/** Accepts only values that DynamoDB accepts in a key, so that an edited row cannot stop the counting. */
const countedOtp = z.object({
  client_id: z.string().check(z.regex(/^[^#]{1,255}$/)),
  sms_sends: z.int(),
  country: z.string().check(z.regex(/^[A-Z0-9]{2,3}$/)),
  status: z.enum(['pending', 'verified']),
  created_at: z.iso.datetime(),
});

/**
 * Returns the sent SMS and the verifications in these records, without attempts and other rows. @throws Error if a record
 * lacks a number or time, which DynamoDB always sets.
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

/** A verification counts once for each SMS with the password, because it is unknown which SMS the recipient read. */
function countOf(otp: z.output<typeof countedOtp>): OtpCount {
  const { sms_sends: sends, status } = otp;
  return { sends, verified: status === 'verified' ? sends : 0 };
}

const columnOfCountry = /^(sends|verified)_([A-Z0-9]{2,3})$/;

/** Returns the counts of the rows from `since` to `until`, oldest first, with a consistent read. */
async function countsIn(
  { db, env }: Context<'OTP_TRAFFIC_TABLE'>,
  span: keyof typeof nameLength,
  clientId: string,
  since: Date,
  until: Date,
): Promise<OtpMinute[]> {
  const rows = queryRows(db, {
    TableName: env.OTP_TRAFFIC_TABLE,
    KeyConditionExpression: 'client_id = :client AND #span BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#span': 'span' },
    ExpressionAttributeValues: {
      ':client': clientId,
      ':first': `${span}#${spanName(span, since)}`,
      ':last': `${span}#${spanName(span, until)}`,
    },
    // The caller has just written these rows, so an inconsistent read could miss them.
    ConsistentRead: true,
  });
  const counts: OtpMinute[] = [];
  for await (const row of rows) {
    const start = startOf(String(row.span).slice(span.length + 1));
    for (const [attribute, value] of Object.entries(row)) {
      const [, column, country] = columnOfCountry.exec(attribute) ?? [];
      if (country === undefined || typeof value !== 'number') continue;
      counts.push({ start, country, sends: 0, verified: 0, [column as keyof OtpCount]: value });
    }
  }
  return counts;
}

/** Returns the counts of the whole minutes from `since` to `until`, without `until`. */
export async function otpMinutes(
  ctx: Context<'OTP_TRAFFIC_TABLE'>,
  clientId: string,
  since: Date,
  until: Date,
): Promise<readonly OtpMinute[]> {
  const counts = await countsIn(ctx, 'minute', clientId, since, until);
  return counts.filter(({ start }) => start < until);
}

/** True if a password of the client was verified on one of these UTC days. */
export async function hasVerifiedOtp(
  ctx: Context<'OTP_TRAFFIC_TABLE'>,
  clientId: string,
  since: Date,
  until: Date,
): Promise<boolean> {
  return totalOf(await countsIn(ctx, 'day', clientId, since, until)).verified > 0;
}

export function totalOf(counts: readonly OtpCount[]): OtpCount {
  return {
    sends: counts.reduce((sum, { sends }) => sum + sends, 0),
    verified: counts.reduce((sum, { verified }) => sum + verified, 0),
  };
}

function startOf(name: string): Date {
  return new Date(`${name}${'0000-01-01T00:00:00.000Z'.slice(name.length)}`);
}
