/**
 * The one-time-passwords table. `pending#…` rows contain the latest password of a client for a recipient and purpose.
 * `sends#…` rows contain the messages to a recipient in a window of ten minutes: at most five, against SMS pumping
 * (contract 5.8). Each password has a row of its own. A send writes these rows and the message in one transaction.
 */

import { type AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { type GatewayError, rateLimitExceeded } from '../contract/errors.ts';
import { recipientSendsMax, recipientWindowSeconds } from '../contract/rate-limits-and-caps.ts';
import type { Message } from '../message/message.ts';
import { isOwn, messageRowOf, parseMessageRow } from '../message/store/message-row.ts';
import type { Created } from '../message/store/messages.dynamo.ts';
import { conditionalUpdate, updateIf } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { type OneTimePassword, otpSchema } from './otp.ts';

interface OtpRecipient {
  readonly clientId: string;
  readonly recipient: string;
}

/** At most one password is pending for each client, recipient and purpose. */
export interface PendingOtpKey extends OtpRecipient {
  readonly purpose: string;
}

interface OtpAttempt {
  readonly otpId: string;
  readonly clientId: string;
  readonly recipient?: string | undefined;
  readonly purpose?: string | undefined;
  /** The gateway creates this id: if the caller could choose it, any number of guesses could count as one. */
  readonly workId: string;
}

/** True if the password matches the client and, if the attempt names them, the recipient and the purpose. */
function isNamedBy({ clientId, recipient, purpose }: OtpAttempt, otp: OneTimePassword): boolean {
  return (
    otp.client_id === clientId &&
    (recipient ?? otp.recipient) === otp.recipient &&
    (purpose ?? otp.purpose) === otp.purpose
  );
}

/** A password is kept for a day after it expires, so that a late verification gets `otp_expired`. */
const keptDays = 1;

const pendingRow = z.object({ latest: z.string() });
const sendsRow = z.object({ message_ids: z.exactOptional(z.set(z.string())) });
/** A report of a verification reads the counted messages up to half an hour after their window. */
const sendsKeptSeconds = 3600;

function read<Schema extends z.ZodMiniType>(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  schema: Schema,
  key: string,
) {
  const Key = { otp_id: key };
  return readRow(db, schema, { TableName: env.ONE_TIME_PASSWORDS_TABLE, Key, ConsistentRead: true });
}

export function readOtp(
  ctx: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  otpId: string,
): Promise<OneTimePassword | undefined> {
  return read(ctx, otpSchema, otpId);
}

/** Returns the id of the latest password for this client, recipient and purpose. */
export async function latestOtp(
  ctx: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  key: PendingOtpKey,
): Promise<string | undefined> {
  return (await read(ctx, pendingRow, pendingId(key)))?.latest;
}

/** Returns the ids of the messages that count for the recipient, in the window that contains this time. */
export async function otpSendsTo(
  ctx: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  recipient: OtpRecipient,
  at: Date,
): Promise<string[]> {
  const row = await read(ctx, sendsRow, sendsId(recipient, at));
  return [...(row?.message_ids ?? [])];
}

/** Counts a message once, in the window that contains this time. Returns false if the window is full. */
export async function countOtpSend(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  recipient: OtpRecipient,
  messageId: string,
  at: Date,
): Promise<boolean> {
  const counting = countingOf(env.ONE_TIME_PASSWORDS_TABLE, recipient, messageId, at);
  const { applied } = await conditionalUpdate(db, counting);
  return applied;
}

/** Counts a further SMS with the same password, once for each leg. */
export async function countOtpSms(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  otp: OneTimePassword,
  legId: string,
): Promise<void> {
  await conditionalUpdate(db, {
    TableName: env.ONE_TIME_PASSWORDS_TABLE,
    Key: { otp_id: otp.otp_id },
    UpdateExpression: 'SET sms_sends = sms_sends + :one, counted_leg = :leg',
    // After a lost response, the SDK retries the write within seconds, so storing only the last leg is enough.
    ConditionExpression:
      'attribute_exists(otp_id) AND (attribute_not_exists(counted_leg) OR counted_leg <> :leg)',
    ExpressionAttributeValues: { ':one': 1, ':leg': legId },
  });
}

/**
 * Counts one attempt with one write, before its code is compared. `counted` is true only if the password is pending, has
 * not expired and has attempts left. `otp` is the current row; undefined if the row does not match the attempt
 * (`isNamedBy`). An attempt with the same work id counts once.
 */
export async function countOtpAttempt(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  attempt: OtpAttempt,
  now: Date,
) {
  const { otpId, clientId, recipient, purpose, workId } = attempt;
  const named = Object.entries({ recipient, purpose }).filter(([, value]) => value !== undefined);
  const counting = await conditionalUpdate(db, {
    TableName: env.ONE_TIME_PASSWORDS_TABLE,
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
}

/**
 * Gives back an attempt whose code could not be compared with every secret, at most once for each password. A caller who
 * sees the failure knows that the code matches none of the known secrets, and could otherwise try any number of codes.
 */
export async function giveBackOtpAttempt(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  { otpId, workId }: OtpAttempt,
): Promise<void> {
  await conditionalUpdate(db, {
    TableName: env.ONE_TIME_PASSWORDS_TABLE,
    Key: { otp_id: otpId },
    UpdateExpression: 'SET given_back = :work ADD attempts :back',
    ConditionExpression: 'contains(attempted_by, :work) AND attribute_not_exists(given_back)',
    ExpressionAttributeValues: { ':work': workId, ':back': -1 },
  });
}

/** Returns true only for the first of several concurrent right codes. */
export async function markOtpVerified(
  { db, env }: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  { otpId, workId }: OtpAttempt,
): Promise<boolean> {
  const verified = { status: 'verified', verified_by: workId };
  const row = { TableName: env.ONE_TIME_PASSWORDS_TABLE, Key: { otp_id: otpId } };
  return (await updateIf(db, row, { status: 'pending' }, verified)).applied;
}

export function otpRowOf(otp: OneTimePassword) {
  return { ...otp, purge_at: epochSeconds(addDays(new Date(otp.expires_at), keptDays)) };
}

function pendingRowOf(key: PendingOtpKey, otpId: string, now: Date) {
  return { otp_id: pendingId(key), latest: otpId, purge_at: epochSeconds(addDays(now, 2 * keptDays)) };
}

/** Returns the update that counts a message. The update fails if the recipient's window is full. */
function countingOf(TableName: string, recipient: OtpRecipient, messageId: string, at: Date) {
  return {
    TableName,
    Key: { otp_id: sendsId(recipient, at) },
    UpdateExpression: 'ADD message_ids :messages SET purge_at = :purge_at',
    ConditionExpression:
      'attribute_not_exists(message_ids) OR size(message_ids) < :max OR contains(message_ids, :message)',
    ExpressionAttributeValues: {
      ':messages': new Set([messageId]),
      ':message': messageId,
      ':max': recipientSendsMax,
      ':purge_at': epochSeconds(addSeconds(recipientWindowAt(at).end, sendsKeptSeconds)),
    },
  };
}

function recipientWindowAt(at: Date): { readonly start: Date; readonly end: Date } {
  const windowMs = recipientWindowSeconds * 1000;
  const start = new Date(Math.floor(at.getTime() / windowMs) * windowMs);
  return { start, end: addSeconds(start, recipientWindowSeconds) };
}

function pendingId({ clientId, recipient, purpose }: PendingOtpKey): string {
  return `pending#${clientId}#${recipient}#${purpose}`;
}

function sendsId({ clientId, recipient }: OtpRecipient, at: Date): string {
  return `sends#${clientId}#${recipient}#${recipientWindowAt(at).start.toISOString()}`;
}

/**
 * True if the message already counts in the window that contains this time, or if the window has room for it. Does not
 * count the message.
 */
export async function hasRoom(
  ctx: Context<'ONE_TIME_PASSWORDS_TABLE'>,
  recipient: OtpRecipient,
  messageId: string,
  now: Date,
): Promise<boolean> {
  const sent = await otpSendsTo(ctx, recipient, now);
  return sent.length < recipientSendsMax || sent.includes(messageId);
}

/** Returns the error `rate_limit_exceeded` with the headers of this limit. */
export function tooManySends(now: Date): GatewayError {
  const { end } = recipientWindowAt(now);
  return rateLimitExceeded(
    `At most ${recipientSendsMax} one-time passwords go to one recipient in ${recipientWindowSeconds / 60} minutes.`,
    Math.ceil((end.getTime() - now.getTime()) / 1000),
    {
      'X-RateLimit-Limit': String(recipientSendsMax),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(epochSeconds(end)),
      'X-RateLimit-Policy': `${recipientSendsMax};w=${recipientWindowSeconds};comment=otp_recipient`,
    },
  );
}

export interface OtpSend {
  readonly key: PendingOtpKey;
  readonly otp: OneTimePassword;
  /** Present only for a new password: the id of the previous one. If absent, the password must still be pending. */
  readonly replaces?: { readonly latest: string | undefined };
}

/**
 * Stores a message and its changes of the one-time-passwords table in one transaction. If a request is refused, or loses
 * against another request with the same key, it stores no password and does not count for the recipient. Returns `full` if
 * the recipient's window is full, and `changed` if another request has changed or is changing a row.
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

/** Counts an SMS with a pending password, if the password can still be verified. */
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

/** @throws the error, if no condition on the rows caused it */
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
