/** What the statuses and error codes of Twilio mean, in responses, callbacks and look-ups. */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { type Price, reportedPrice } from '../../contract/prices.ts';
import type { Status } from '../../message/message.ts';
import type { VendorErrors } from '../carrier-module.ts';

/**
 * Twilio's error codes: of refused requests (2xxxx) and of messages that were not delivered (3xxxx). Twilio adds codes and
 * splits them; one that is not listed is `carrier_rejected`.
 */
export const twilioErrors: VendorErrors = {
  // The recipient.
  21211: { code: 'invalid_recipient' },
  21214: { code: 'invalid_recipient' },
  21217: { code: 'invalid_recipient' },
  21263: { code: 'invalid_recipient' },
  21265: { code: 'invalid_recipient' },
  21266: { code: 'invalid_recipient' },
  21604: { code: 'invalid_recipient' },
  21610: { code: 'recipient_opted_out' },
  21614: { code: 'invalid_recipient' },
  21635: { code: 'invalid_recipient' },
  // The content.
  21602: { code: 'content_rejected' },
  21605: { code: 'content_rejected' },
  21617: { code: 'content_rejected' },
  21619: { code: 'content_rejected' },
  // The account, the sender or the route: another carrier may take the message.
  21212: { code: 'sender_rejected', elsewhere: true },
  21267: { code: 'sender_rejected', elsewhere: true },
  21408: { code: 'country_not_supported', elsewhere: true },
  21603: { code: 'sender_rejected', elsewhere: true },
  21606: { code: 'sender_rejected', elsewhere: true },
  21608: { code: 'invalid_recipient', elsewhere: true },
  21611: { code: 'carrier_throttled', elsewhere: true },
  21612: { code: 'country_not_supported', elsewhere: true },
  21659: { code: 'sender_rejected', elsewhere: true },
  21660: { code: 'sender_rejected', elsewhere: true },
  21661: { code: 'sender_rejected', elsewhere: true },
  21701: { code: 'sender_rejected', elsewhere: true },
  21703: { code: 'sender_rejected', elsewhere: true },
  // Reported later.
  30001: { code: 'carrier_throttled' },
  30002: { code: 'carrier_rejected' },
  30003: { code: 'unreachable' },
  30004: { code: 'carrier_blocked' },
  30005: { code: 'invalid_recipient' },
  30006: { code: 'invalid_recipient' },
  30007: { code: 'content_rejected' },
  30008: { code: 'unknown' },
  30010: { code: 'spend_limit_reached' },
  30018: { code: 'sender_rejected' },
  30022: { code: 'carrier_throttled' },
  30024: { code: 'sender_rejected' },
  30032: { code: 'sender_rejected' },
  30034: { code: 'sender_rejected' },
  30038: { code: 'content_rejected' },
  30410: { code: 'unreachable' },
  30453: { code: 'carrier_blocked' },
};

/** "Validity Period Expired". */
const expiredAtTwilio = '30036';

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
}): Partial<Price> {
  return reportedPrice(Math.abs(Number.parseFloat(price ?? '')), price_unit ?? '');
}
