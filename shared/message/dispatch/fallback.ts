/**
 * The legs of a send with `fallback`. Each leg is a message. The next leg starts if the previous leg failed, expired, or
 * was not delivered in time. The functions in this file depend only on a row and the time, so every worker reaches the same
 * decision (docs/decisions/fallback-legs.md).
 */
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { derivedId } from '../../platform/ids.ts';
import { type Message, type MessageChange, transitions } from '../message.ts';
import { smsContent } from '../smart-encoding.ts';
import { readMessages } from '../store/messages.dynamo.ts';

/** Returns the id of a leg. Every worker derives the same id, so only one of them stores the row. */
function legId(firstId: string, leg: number): string {
  return leg === 1 ? firstId : derivedId('msg', firstId, 'leg', String(leg));
}

function firstIdOf({ message_id, fallback_of }: Message): string {
  return fallback_of ?? message_id;
}

export function earlierLegIds(message: Message): string[] {
  const { leg = 1 } = message;
  return Array.from({ length: leg - 1 }, (_, index) => legId(firstIdOf(message), index + 1));
}

/** Returns the ids of the legs after this one, including legs that have not started. */
export function laterLegIds(message: Message): string[] {
  const { fallback = [], leg = 1 } = message;
  return fallback.map((_, index) => legId(firstIdOf(message), leg + 1 + index));
}

/**
 * Returns when the next leg is due: immediately after a failure or the end of the validity period, otherwise
 * `after_seconds` after this leg was queued. Undefined if the current row starts no further leg.
 */
export function nextLegDueAt(message: Message): Date | undefined {
  const [next] = message.fallback ?? [];
  if (next === undefined) return undefined;
  switch (message.status) {
    case 'failed':
      return endsSequence(message) ? undefined : new Date(message.failed_at ?? message.created_at);
    case 'expired':
      return new Date(message.expired_at ?? message.created_at);
    case 'queued':
    case 'sending':
    case 'sent':
      return next.after_seconds === undefined
        ? undefined
        : addSeconds(new Date(message.queued_at ?? message.created_at), next.after_seconds);
    default:
      return undefined;
  }
}

/** How long after its due time a leg may still start. A queue message that arrives later belongs to a very old send. */
const legWaitedForSeconds = 86_400;

/**
 * Returns the time until which a leg may start. The previous message counts as over when its validity ends, even if it is
 * queued or expired later. A one-time password cannot be used after it has expired.
 */
export function nextLegWaitsUntil({ otp, expires_at }: Message, dueAt: Date): Date {
  return otp === undefined
    ? addSeconds(earlierOf(dueAt, new Date(expires_at)), legWaitedForSeconds)
    : new Date(otp.expires_at);
}

/** Returns when the next leg must start, if this change queued the message or ended it undelivered. */
export function nextLegDueAfter({ before, after }: MessageChange): Date | undefined {
  const isNew = after.status !== before?.status;
  const counts = after.status === 'queued' || after.status === 'failed' || after.status === 'expired';
  return isNew && counts ? nextLegDueAt(after) : undefined;
}

export function isFinished(message: Message): boolean {
  return transitions[message.status].final && nextLegDueAt(message) === undefined;
}

/**
 * True if every later leg would fail, too. The exception: if a carrier refuses a one-time password because of an opt-out,
 * the recipient may still get it by another channel.
 */
function endsSequence({ error_code, suppressed, otp }: Message): boolean {
  if (error_code === 'client_disabled') return true;
  return error_code === 'recipient_opted_out' && (suppressed === true || otp === undefined);
}

/**
 * Returns the row of the next leg, in the state `queued`. Its validity period is as long as that of the first leg. A
 * one-time password keeps its own expiry.
 *
 * @param textOf - returns the text of a one-time password, which states the remaining validity
 */
export function nextLegOf(
  previous: Message,
  now: Date,
  textOf: (template: string, expiresAt: Date, now: Date) => string,
): Message | undefined {
  const [next, ...later] = previous.fallback ?? [];
  if (next === undefined) return undefined;
  const { client_id, recipient, country, type, reference, webhook_url, otp, smart_encoding } = previous;
  const { after_seconds: _after, text: given, ...content } = next;
  const createdAt = now.toISOString();
  const expiresAt = otp === undefined ? addSeconds(now, validitySeconds(previous)) : new Date(otp.expires_at);
  const text = given === undefined || otp === undefined ? given : textOf(given, expiresAt, now);
  const leg = (previous.leg ?? 1) + 1;
  return {
    message_id: legId(firstIdOf(previous), leg),
    fallback_of: firstIdOf(previous),
    leg,
    client_id,
    recipient,
    type,
    ...content,
    country,
    reference,
    webhook_url,
    text,
    otp,
    smart_encoding,
    ...(next.channel === 'sms' ? smsContent(text ?? '', smart_encoding, otp) : {}),
    status: 'queued',
    created_at: createdAt,
    queued_at: createdAt,
    expires_at: expiresAt.toISOString(),
    ...(later.length === 0 ? {} : { fallback: later }),
  };
}

function validitySeconds({ expires_at, scheduled_at, created_at }: Message): number {
  return (Date.parse(expires_at) - Date.parse(scheduled_at ?? created_at)) / 1000;
}

/**
 * Returns the legs of a message: the first leg and the state of the later ones. The first leg names all later legs, even if
 * they have not started. For a message without `fallback`, reads nothing and returns undefined.
 */
export async function showLegs(ctx: Context<'MESSAGES_TABLE'>, message: Message) {
  const others = [...earlierLegIds(message), ...laterLegIds(message)];
  if (others.length === 0) return undefined;
  const rows = new Map([message, ...(await readMessages(ctx, others))].map((row) => [row.message_id, row]));
  const first = rows.get(firstIdOf(message));
  // The first leg is kept at least as long as the later legs, so a missing one was deleted by hand.
  if (first === undefined) return undefined;
  const ids = laterLegIds(first);
  const following = (first.fallback ?? []).map(({ channel, after_seconds }, index) => {
    const row = rows.get(ids[index] ?? '');
    return {
      channel,
      after_seconds: after_seconds ?? null,
      message_id: row?.message_id ?? null,
      status: row?.status ?? null,
    };
  });
  return { first, following };
}
