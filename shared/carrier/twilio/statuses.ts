/** What the statuses of Twilio's messages mean, in callbacks and look-ups. */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { roundPrice } from '../../contract/prices.ts';
import type { Status } from '../../message/message.ts';
import { expiredAtTwilio, twilioErrors } from './errors.ts';

interface Outcome {
  readonly to: Status;
  readonly errorCode?: MessageErrorCode;
  readonly errorMessage?: string;
}

/** That Twilio has a message at all is news where the response to the hand-over was lost. */
const states: Readonly<Record<string, Status>> = {
  accepted: 'sent',
  queued: 'sent',
  sending: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
};

/** A text of which a part did not arrive has not arrived; a later `delivered` corrects it. */
const failures: readonly string[] = ['failed', 'undelivered', 'partially_delivered', 'canceled'];

/** Undefined for a status that says nothing of a sent message. */
export function outcomeOfStatus(status: string, errorCode: string): Outcome | undefined {
  const state = states[status];
  if (state !== undefined) return { to: state };
  if (!failures.includes(status)) return undefined;
  if (errorCode === expiredAtTwilio) return { to: 'expired', ...messageError('expired') };
  const known = twilioErrors[errorCode]?.code;
  return { to: 'failed', ...messageError(known ?? (errorCode === '' ? 'unknown' : 'carrier_rejected')) };
}

/** A price is negative, and null until Twilio has it. */
export function costOf({
  price,
  price_unit,
}: {
  readonly price?: string | null | undefined;
  readonly price_unit?: string | null | undefined;
}): { cost?: number; currency?: string } {
  const amount = Math.abs(Number.parseFloat(price ?? ''));
  if (Number.isNaN(amount) || !price_unit) return {};
  return { cost: roundPrice(amount), currency: price_unit.toUpperCase() };
}
