/**
 * The one-time-passwords table. It has a row for each password, `pending#…` with the latest password of a client for a
 * recipient and purpose, and `sends#…` with the latest sends to a recipient.
 */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionHolds, tryConditionalWrite } from '../platform/aws/conditional-write.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import { otpSchema } from './otp.ts';
import type { OtpRecipient, OtpStore, PendingOtpKey, RecipientSends } from './otp-store.ts';
import { recipientWindowSeconds } from './recipient-limit.ts';

/** A password is kept for a day after its expiry, so that a late verification gets `otp_expired`. */
const keptDays = 1;

const pendingRow = z.object({ latest: z.string() });
const sendsRow = z.object({
  sends: z.array(z.object({ message_id: z.string(), at: z.iso.datetime() })),
  revision: z.int(),
});

export function dynamoOtpStore(client: DynamoDBDocumentClient, tableName: string): OtpStore {
  async function read(key: string): Promise<unknown> {
    const answer = await client.send(
      new GetCommand({ TableName: tableName, Key: { otp_id: key }, ConsistentRead: true }),
    );
    return answer.Item;
  }

  async function put(
    item: Record<string, unknown>,
    condition: string,
    values?: Record<string, unknown>,
  ): Promise<boolean> {
    return conditionHolds(
      client.send(
        new PutCommand({
          TableName: tableName,
          Item: item,
          ConditionExpression: condition,
          ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
        }),
      ),
    );
  }

  return {
    async get(otpId) {
      const row = await read(otpId);
      return row === undefined ? undefined : otpSchema.parse(row);
    },

    async create(otp) {
      const purgeAt = epochSeconds(addDays(new Date(otp.expires_at), keptDays));
      await put({ ...otp, purge_at: purgeAt }, 'attribute_not_exists(otp_id)');
    },

    async latest(key) {
      const row = await read(pendingId(key));
      return row === undefined ? undefined : pendingRow.parse(row).latest;
    },

    setLatest(key, seen, otpId, now) {
      const purgeAt = epochSeconds(addDays(now, 2 * keptDays));
      const item = { otp_id: pendingId(key), latest: otpId, purge_at: purgeAt };
      return seen === undefined
        ? put(item, 'attribute_not_exists(otp_id)')
        : put(item, 'latest = :seen', { ':seen': seen });
    },

    async recipientSends(recipient): Promise<RecipientSends> {
      const row = await read(sendsId(recipient));
      return row === undefined ? { sends: [], revision: 0 } : sendsRow.parse(row);
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
      const counting = await tryConditionalWrite(
        client.send(
          new UpdateCommand({
            TableName: tableName,
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
          }),
        ),
      );
      if (counting.applied) return { counted: true, otp: otpSchema.parse(counting.answer.Attributes) };
      const otp = counting.row === undefined ? undefined : otpSchema.parse(counting.row);
      return { counted: otp?.client_id === clientId && otp.latest_attempt === workId, otp };
    },

    markVerified({ otpId, workId }) {
      return conditionHolds(
        client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: { otp_id: otpId },
            UpdateExpression: 'SET #status = :verified, verified_by = :work',
            ConditionExpression: '#status = :pending OR verified_by = :work',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':verified': 'verified',
              ':pending': 'pending',
              ':work': workId,
            },
          }),
        ),
      );
    },
  };
}

function pendingId({ clientId, recipient, purpose }: PendingOtpKey): string {
  return `pending#${clientId}#${recipient}#${purpose}`;
}

function sendsId({ clientId, recipient }: OtpRecipient): string {
  return `sends#${clientId}#${recipient}`;
}
