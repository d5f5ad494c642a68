/** Stores a message and its changes of the one-time-passwords table in one transaction over both tables. */
import { type AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Message } from '../message/message.ts';
import { isOwn, messageRowOf, parseMessageRow } from '../message/store/message-row.ts';
import type { Created } from '../message/store/messages.dynamo.ts';
import type { Context } from '../platform/context.ts';
import type { OneTimePassword } from './otp.ts';
import { countingOf, otpRowOf, type PendingOtpKey, pendingRowOf } from './otp-store.dynamo.ts';

export interface OtpSend {
  readonly key: PendingOtpKey;
  readonly otp: OneTimePassword;
  /** Present if the password is new: the id of the previous password. Otherwise it must still be pending. */
  readonly replaces?: { readonly latest: string | undefined };
}

/**
 * Stores a message and its changes of the one-time-passwords table in one transaction: all of it, or nothing. A request
 * that is refused, or that loses against another one with the same key, leaves no password and counts for no recipient.
 * Returns `full` if the recipient's window is full, and `changed` if a row has changed since it was read, or is being
 * written.
 */
export async function storeOtpSend(
  { db, env }: Context<'MESSAGES_TABLE' | 'ONE_TIME_PASSWORDS_TABLE' | 'RETENTION_DAYS'>,
  message: Message,
  send: OtpSend,
  now: Date,
): Promise<Created | 'full' | 'changed'> {
  try {
    await db.send(new TransactWriteCommand({ TransactItems: itemsOf(env, message, send, now) }));
    return { created: true };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return resultOf(message, error);
  }
}

function itemsOf(
  env: Context<'MESSAGES_TABLE' | 'ONE_TIME_PASSWORDS_TABLE' | 'RETENTION_DAYS'>['env'],
  message: Message,
  { key, otp, replaces }: OtpSend,
  now: Date,
) {
  const TableName = env.ONE_TIME_PASSWORDS_TABLE;
  const put = (Item: Record<string, unknown>, ConditionExpression: string, seen?: string) => ({
    Put: {
      TableName,
      Item,
      ConditionExpression,
      ...(seen === undefined ? {} : { ExpressionAttributeValues: { ':seen': seen } }),
    },
  });
  const otpItems =
    replaces === undefined
      ? [{ Update: resendOf(TableName, otp, message, now) }]
      : [
          put(otpRowOf(otp), 'attribute_not_exists(otp_id)'),
          put(
            pendingRowOf(key, otp.otp_id, now),
            replaces.latest === undefined ? 'attribute_not_exists(otp_id)' : 'latest = :seen',
            replaces.latest,
          ),
        ];
  return [
    {
      Put: {
        TableName: env.MESSAGES_TABLE,
        Item: messageRowOf(message, env.RETENTION_DAYS),
        ConditionExpression: 'attribute_not_exists(message_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    },
    { Update: countingOf(TableName, key, message.message_id, now) },
    ...otpItems,
  ];
}

/** Counts an SMS with a pending password, on the condition that it can still be verified. */
function resendOf(TableName: string, otp: OneTimePassword, { channel }: Message, now: Date) {
  return {
    TableName,
    Key: { otp_id: otp.otp_id },
    UpdateExpression: 'SET sms_sends = sms_sends + :sms',
    ConditionExpression: '#status = :pending AND expires_at > :now AND attempts < max_attempts',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':sms': channel === 'sms' ? 1 : 0,
      ':pending': 'pending',
      ':now': now.toISOString(),
    },
  };
}

const changes = new Set(['ConditionalCheckFailed', 'TransactionConflict']);

/** @throws the error, if it says nothing of the rows */
function resultOf(message: Message, error: TransactionCanceledException): Created | 'full' | 'changed' {
  const reasons = error.CancellationReasons ?? [];
  const item = reasons[0]?.Item as Record<string, AttributeValue> | undefined;
  if (item !== undefined) {
    const existing = parseMessageRow(unmarshall(item));
    return isOwn(message, existing) ? { created: true } : { created: false, existing };
  }
  if (reasons[1]?.Code === 'ConditionalCheckFailed') return 'full';
  if (reasons.some(({ Code }) => changes.has(Code ?? ''))) return 'changed';
  throw error;
}
