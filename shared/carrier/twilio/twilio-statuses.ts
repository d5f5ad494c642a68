/** Maps Twilio's statuses and error codes to the gateway's, in responses, callbacks and look-ups. */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { type Price, reportedPrice } from '../../contract/prices.ts';
import type { Status } from '../../message/message.ts';
import { vendorErrors } from '../carrier-module.ts';

/**
 * Twilio's error codes for refused requests (2xxxx) and for undelivered messages (3xxxx). Twilio adds and splits codes, so
 * a code that is not listed becomes `carrier_rejected`.
 */
export const twilioErrors = vendorErrors(
  {
    invalid_recipient: [21211, 21214, 21217, 21263, 21265, 21266, 21604, 21614, 21635, 30005, 30006],
    recipient_opted_out: [21610],
    content_rejected: [21602, 21605, 21617, 21619, 30007, 30038],
    carrier_throttled: [30001, 30022],
    carrier_rejected: [30002],
    unreachable: [30003, 30410],
    carrier_blocked: [30004, 30453],
    unknown: [30008],
    spend_limit_reached: [30010],
    sender_rejected: [30018, 30024, 30032, 30034],
  },
  // The account, the sender or the route is at fault, so another carrier may accept the message.
  {
    sender_rejected: [21212, 21267, 21603, 21606, 21659, 21660, 21661, 21701, 21703],
    country_not_supported: [21408, 21612],
    invalid_recipient: [21608],
    carrier_throttled: [21611],
  },
);

/** Twilio's error "Validity Period Expired". */
const expiredAtTwilio = '30036';

/** These statuses prove that Twilio has the message, even if the response to the hand-over was lost. */
const states: Readonly<Record<string, Status>> = {
  accepted: 'sent',
  queued: 'sent',
  sending: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
};

/** If a part of a text does not arrive, the message fails. A later `delivered` corrects this. */
const failures: readonly string[] = ['failed', 'undelivered', 'partially_delivered', 'canceled'];

/** Returns the state of a sent message; undefined if the status does not show it. */
export function outcomeOfStatus(
  status: string,
  errorCode: string,
):
  | {
      readonly to: Status;
      readonly errorCode?: MessageErrorCode;
      readonly errorMessage?: string;
    }
  | undefined {
  const state = states[status];
  if (state !== undefined) return { to: state };
  if (!failures.includes(status)) return undefined;
  if (errorCode === expiredAtTwilio) return { to: 'expired', ...messageError('expired') };
  const known = twilioErrors[errorCode]?.code;
  return { to: 'failed', ...messageError(known ?? (errorCode === '' ? 'unknown' : 'carrier_rejected')) };
}

/** Twilio's price is negative; it is null until Twilio knows the price. */
export function costOf({
  price,
  price_unit,
}: {
  readonly price?: string | null | undefined;
  readonly price_unit?: string | null | undefined;
}): Partial<Price> {
  return reportedPrice(Math.abs(Number.parseFloat(price ?? '')), price_unit ?? '');
}
