/**
 * The one-time-passwords table. It has a row for each password, `pending#…` with the latest password of a client for a
 * recipient and purpose, and `sends#…` with the latest sends to a recipient.
 */
import type { DynamoDBDocumentClient, PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { recipientWindowSeconds } from '../contract/otp-recipient-limit.ts';
import { conditionalPut, conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import { otpSchema } from './otp.ts';
import type { OtpRecipient, OtpStore, PendingOtpKey } from './otp-store.ts';

/** A password is kept for a day after its expiry, so that a late verification gets `otp_expired`. */
const keptDays = 1;

const pendingRow = z.object({ latest: z.string() });
const sendsRow = z.object({
  sends: z.array(z.object({ message_id: z.string(), at: z.iso.datetime() })),
  revision: z.int(),
});

export function dynamoOtpStore(client: DynamoDBDocumentClient, TableName: string): OtpStore {
  function read<Schema extends z.ZodMiniType>(schema: Schema, key: string) {
    return readRow(client, schema, { TableName, Key: { otp_id: key }, ConsistentRead: true });
  }

  async function put(
    Item: Record<string, unknown>,
    ConditionExpression: string,
    ExpressionAttributeValues?: PutCommandInput['ExpressionAttributeValues'],
  ): Promise<boolean> {
    const input = { TableName, Item, ConditionExpression, ExpressionAttributeValues };
    const { applied } = await conditionalPut(client, input);
    return applied;
  }

  return {
    get: (otpId) => read(otpSchema, otpId),

    async create(otp) {
      const purgeAt = epochSeconds(addDays(new Date(otp.expires_at), keptDays));
      await put({ ...otp, purge_at: purgeAt }, 'attribute_not_exists(otp_id)');
    },

    async latest(key) {
      return (await read(pendingRow, pendingId(key)))?.latest;
    },

    setLatest(key, seen, otpId, now) {
      const purgeAt = epochSeconds(addDays(now, 2 * keptDays));
      const item = { otp_id: pendingId(key), latest: otpId, purge_at: purgeAt };
      return seen === undefined
        ? put(item, 'attribute_not_exists(otp_id)')
        : put(item, 'latest = :seen', { ':seen': seen });
    },

    async recipientSends(recipient) {
      return (await read(sendsRow, sendsId(recipient))) ?? { sends: [], revision: 0 };
    },

    replaceRecipientSends(recipient, seen, sends, now) {
      const item = {
        otp_id: sendsId(recipient),
        sends,
        revision: seen.revision + 1,
        purge_at: epochSeconds(addSeconds(now, 2 * recipientWindowSeconds)),
      };
      return put(item, 'attribute_not_exists(otp_id) OR revision = :seen', { ':seen': seen.revision });
    },

    async countAttempt({ otpId, clientId, workId }, now) {
      const counting = await conditionalUpdate(client, {
        TableName,
        Key: { otp_id: otpId },
        UpdateExpression: 'SET latest_attempt = :work ADD attempts :one',
        ConditionExpression:
          'client_id = :client AND #status = :pending AND expires_at > :now AND attempts < max_attempts AND (attribute_not_exists(latest_attempt) OR latest_attempt <> :work)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':work': workId,
          ':client': clientId,
          ':pending': 'pending',
          ':now': now.toISOString(),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (counting.applied) return { counted: true, otp: otpSchema.parse(counting.response.Attributes) };
      const otp = counting.row === undefined ? undefined : otpSchema.parse(counting.row);
      return { counted: otp?.client_id === clientId && otp.latest_attempt === workId, otp };
    },

    async markVerified({ otpId, workId }) {
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

function pendingId({ clientId, recipient, purpose }: PendingOtpKey): string {
  return `pending#${clientId}#${recipient}#${purpose}`;
}

function sendsId({ clientId, recipient }: OtpRecipient): string {
  return `sends#${clientId}#${recipient}`;
}
