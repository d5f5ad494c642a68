/**
 * The one-time-passwords table. It has a row for each password, `pending#…` with the latest password of a client for a
 * recipient and purpose, and `sends#…` with the latest sends to a recipient.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { recipientWindowSeconds } from '../contract/otp-abuse.ts';
import { conditionalPut, conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import { type OneTimePassword, otpSchema } from './otp.ts';

export interface OtpRecipient {
  readonly clientId: string;
  readonly recipient: string;
}

/** At most one password is pending for each client, recipient and purpose. */
export interface PendingOtpKey extends OtpRecipient {
  readonly purpose: string;
}

export interface RecipientSend {
  readonly message_id: string;
  readonly at: string;
}

/** The latest sends to one recipient, with the revision that a replacement must name. */
export interface RecipientSends {
  readonly sends: readonly RecipientSend[];
  readonly revision: number;
}

interface OtpAttempt {
  readonly otpId: string;
  readonly clientId: string;
  readonly recipient?: string | undefined;
  readonly purpose?: string | undefined;
  /** Not from the caller: with an id of its choice, any number of guesses could count as one. */
  readonly workId: string;
}

export type OtpStore = ReturnType<typeof dynamoOtpStore>;

/** Whether the password is the client's, for the recipient and the purpose that the attempt names. */
function isNamedBy(
  { clientId, recipient, purpose }: OtpAttempt,
  otp: Pick<OneTimePassword, 'client_id' | 'recipient' | 'purpose'>,
): boolean {
  return (
    otp.client_id === clientId &&
    (recipient ?? otp.recipient) === otp.recipient &&
    (purpose ?? otp.purpose) === otp.purpose
  );
}

/** A password is kept for a day after its expiry, so that a late verification gets `otp_expired`. */
const keptDays = 1;

const pendingRow = z.object({ latest: z.string() });
const sendsRow = z.object({
  sends: z.array(z.object({ message_id: z.string(), at: z.iso.datetime() })),
  revision: z.int(),
});

export function dynamoOtpStore(client: DynamoDBDocumentClient, TableName: string) {
  function read<Schema extends z.ZodMiniType>(schema: Schema, key: string) {
    return readRow(client, schema, { TableName, Key: { otp_id: key }, ConsistentRead: true });
  }

  return {
    get: (otpId: string): Promise<OneTimePassword | undefined> => read(otpSchema, otpId),

    async latest(key: PendingOtpKey): Promise<string | undefined> {
      return (await read(pendingRow, pendingId(key)))?.latest;
    },

    async recipientSends(recipient: OtpRecipient): Promise<RecipientSends> {
      return (await read(sendsRow, sendsId(recipient))) ?? { sends: [], revision: 0 };
    },

    /** False where the sends have changed since they were read. */
    async replaceRecipientSends(
      recipient: OtpRecipient,
      seen: RecipientSends,
      sends: readonly RecipientSend[],
      now: Date,
    ): Promise<boolean> {
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: sendsRowOf(recipient, seen, sends, now),
        ConditionExpression: 'attribute_not_exists(otp_id) OR revision = :seen',
        ExpressionAttributeValues: { ':seen': seen.revision },
      });
      return applied;
    },

    /** Counts an SMS with a password that was sent before, once for the same leg. */
    async countSms(otp: OneTimePassword, legId: string): Promise<void> {
      await conditionalUpdate(client, {
        TableName,
        Key: { otp_id: otp.otp_id },
        UpdateExpression: 'SET sms_sends = sms_sends + :one, counted_leg = :leg',
        // The SDK repeats a write whose response was lost, within seconds: so only the last leg is remembered.
        ConditionExpression:
          'attribute_exists(otp_id) AND (attribute_not_exists(counted_leg) OR counted_leg <> :leg)',
        ExpressionAttributeValues: { ':one': 1, ':leg': legId },
      });
    },

    /**
     * Counts one attempt before its code is compared, in one write: `counted` only while the password is pending and
     * unexpired and has attempts left. `otp` is the present row, undefined where it is none that the attempt names
     * (`isNamedBy`). The same work id counts once.
     */
    async countAttempt(
      attempt: OtpAttempt,
      now: Date,
    ): Promise<{ readonly counted: boolean; readonly otp: OneTimePassword | undefined }> {
      const { otpId, clientId, recipient, purpose, workId } = attempt;
      const named = Object.entries({ recipient, purpose }).filter(([, value]) => value !== undefined);
      const counting = await conditionalUpdate(client, {
        TableName,
        Key: { otp_id: otpId },
        UpdateExpression:
          'SET attempted_by = list_append(if_not_exists(attempted_by, :none), :works) ADD attempts :one',
        ConditionExpression: [
          'client_id = :client AND #status = :pending AND expires_at > :now AND attempts < max_attempts AND NOT contains(attempted_by, :work)',
          ...named.map(([attribute]) => `${attribute} = :${attribute}`),
        ].join(' AND '),
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':none': [],
          ':work': workId,
          ':works': [workId],
          ':client': clientId,
          ':pending': 'pending',
          ':now': now.toISOString(),
          ...Object.fromEntries(named.map(([attribute, value]) => [`:${attribute}`, value])),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (counting.applied) return { counted: true, otp: otpSchema.parse(counting.response.Attributes) };
      const row = counting.row === undefined ? undefined : otpSchema.parse(counting.row);
      const otp = row !== undefined && isNamedBy(attempt, row) ? row : undefined;
      return { counted: otp?.attempted_by?.includes(workId) === true, otp };
    },

    /**
     * Gives back an attempt whose code could not be compared with every secret, once for each password: the failure says
     * that the code is not of the secrets that were known, and without this limit any number of codes could be tried.
     */
    async giveBackAttempt({ otpId, workId }: OtpAttempt): Promise<void> {
      await conditionalUpdate(client, {
        TableName,
        Key: { otp_id: otpId },
        UpdateExpression: 'SET given_back = :work ADD attempts :back',
        ConditionExpression: 'contains(attempted_by, :work) AND attribute_not_exists(given_back)',
        ExpressionAttributeValues: { ':work': workId, ':back': -1 },
      });
    },

    /** One of any number of concurrent right codes gets true. */
    async markVerified({ otpId, workId }: OtpAttempt): Promise<boolean> {
      const { applied } = await conditionalUpdate(client, {
        TableName,
        Key: { otp_id: otpId },
        UpdateExpression: 'SET #status = :verified, verified_by = :work',
        ConditionExpression: '#status = :pending OR verified_by = :work',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':verified': 'verified',
          ':pending': 'pending',
          ':work': workId,
        },
      });
      return applied;
    },
  };
}

export function otpRowOf(otp: OneTimePassword) {
  return { ...otp, purge_at: epochSeconds(addDays(new Date(otp.expires_at), keptDays)) };
}

export function pendingRowOf(key: PendingOtpKey, otpId: string, now: Date) {
  return { otp_id: pendingId(key), latest: otpId, purge_at: epochSeconds(addDays(now, 2 * keptDays)) };
}

export function sendsRowOf(
  recipient: OtpRecipient,
  seen: RecipientSends,
  sends: readonly RecipientSend[],
  now: Date,
) {
  return {
    otp_id: sendsId(recipient),
    sends,
    revision: seen.revision + 1,
    purge_at: epochSeconds(addSeconds(now, 2 * recipientWindowSeconds)),
  };
}

function pendingId({ clientId, recipient, purpose }: PendingOtpKey): string {
  return `pending#${clientId}#${recipient}#${purpose}`;
}

function sendsId({ clientId, recipient }: OtpRecipient): string {
  return `sends#${clientId}#${recipient}`;
}
