/** The table `otp-traffic`: for each client and country a row for each minute and day, with the passwords sent and verified. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { queryRows } from '../../platform/aws/read-rows.dynamo.ts';
import { identityOf, rowIn, type StreamRecord } from '../../platform/aws/stream-record.dynamo.ts';
import { addDays, type Clock, epochSeconds } from '../../platform/clock.ts';
import type { OnceCounter } from '../../usage/count-once.ts';
import { dynamoOnceCounter } from '../../usage/usage-counter.dynamo.ts';
import type { OtpCount, OtpMinute } from './judge-traffic.ts';
import { type OtpAddition, type OtpRecord, spanName } from './otp-traffic.ts';

/** Longer than anything that reads them: minutes are read for an hour, days for a week. */
const keptDays = { minute: 1, day: 30 } as const;

const spanRow = z.object({
  span: z.string(),
  sends: z._default(z.number(), 0),
  verified: z._default(z.number(), 0),
});

/** Bounded to what DynamoDB takes as a key, so that no row that a person edited can stop the counting. */
const countedOtp = z.object({
  client_id: z.string().check(z.regex(/^[^#]{1,255}$/)),
  channel: z.string(),
  falls_back_to_sms: z.optional(z.boolean()),
  country: z.string().check(z.regex(/^[A-Z0-9]{2,3}$/)),
  status: z.enum(['pending', 'verified']),
  created_at: z.iso.datetime(),
});

/**
 * The new passwords and the verifications in these records; attempts and other rows of the table are left out.
 *
 * @throws Error if a record has no id or no time, which DynamoDB gives to each.
 */
export function otpRecords(records: readonly StreamRecord[]): OtpRecord[] {
  return records.flatMap((record) => {
    const { dynamodb } = record;
    const after = otpIn(dynamodb?.NewImage);
    if (after === undefined) return [];
    const identity = identityOf(record);
    const isNew = dynamodb?.OldImage === undefined;
    const isVerified = after.status === 'verified' && otpIn(dynamodb?.OldImage)?.status === 'pending';
    if (!isNew && !isVerified) return [];
    return [
      {
        ...identity,
        event: isNew ? ('sent' as const) : ('verified' as const),
        clientId: after.client_id,
        country: after.country,
        createdAt: new Date(after.created_at),
      },
    ];
  });
}

function otpIn(image: unknown): z.output<typeof countedOtp> | undefined {
  const parsed = countedOtp.safeParse(rowIn(image));
  if (!parsed.success) return undefined;
  const { channel, falls_back_to_sms } = parsed.data;
  return channel === 'sms' || falls_back_to_sms === true ? parsed.data : undefined;
}

export function dynamoOtpCounter(
  client: DynamoDBDocumentClient,
  tables: { readonly traffic: string; readonly countedChanges: string },
  clock: Clock,
): OnceCounter<OtpAddition> {
  return dynamoOnceCounter(
    client,
    {
      sums: tables.traffic,
      countedChanges: tables.countedChanges,
      prefix: 'otp#',
      rowOf: ({ clientId, country, span, name }: OtpAddition) => ({
        key: { client_country: clientCountry(clientId, country), span: `${span}#${name}` },
        purgeAt: epochSeconds(addDays(startOf(name), keptDays[span] + 1)),
      }),
    },
    clock,
  );
}

export type OtpTrafficReader = ReturnType<typeof dynamoOtpTrafficReader>;

export function dynamoOtpTrafficReader(client: DynamoDBDocumentClient, TableName: string) {
  async function spans(key: string, span: OtpAddition['span'], since: Date, until: Date) {
    const rows: OtpMinute[] = [];
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
        rows.push({ start, sends: row.data.sends, verified: row.data.verified });
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
      return {
        sends: rows.reduce((sum, { sends }) => sum + sends, 0),
        verified: rows.reduce((sum, { verified }) => sum + verified, 0),
      };
    },
  };
}

function clientCountry(clientId: string, country: string): string {
  return `${clientId}#${country}`;
}

/** The start of the minute or day with this name. */
function startOf(name: string): Date {
  return new Date(`${name}${'0000-01-01T00:00:00.000Z'.slice(name.length)}`);
}
