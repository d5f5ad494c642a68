/**
 * The checks of a further leg of a one-time password when it starts: if the password can still be verified, the limit
 * of its recipient, and a hold of its country, which applies to each SMS.
 */
import { refusalAmong } from '../contract/errors.ts';
import { noCountry } from '../contract/otp-abuse.ts';
import type { OtpLegs } from '../message/dispatch/start-next-leg.ts';
import type { Clock } from '../platform/clock.ts';
import { isPending } from './otp.ts';
import type { AssertNotHeld } from './otp-holds.dynamo.ts';
import type { OtpStore } from './otp-store.dynamo.ts';
import { otpText } from './otp-text.ts';
import { hasRoom } from './recipient-limit.ts';

export function otpLegs({
  otps,
  assertNotHeld,
  clock,
}: {
  readonly otps: Pick<OtpStore, 'get' | 'sentTo' | 'countSend' | 'countSms'>;
  readonly assertNotHeld: AssertNotHeld;
  readonly clock: Clock;
}): OtpLegs {
  return {
    async isPending(otpId) {
      const otp = await otps.get(otpId);
      return otp !== undefined && isPending(otp, clock());
    },

    async refusalOf({ message_id, client_id, channel, country, recipient }, now) {
      const check = channel === 'sms' ? assertNotHeld(client_id, country ?? noCountry) : undefined;
      const held = await refusalAmong(['otp_held'], check);
      if (held !== undefined) return held;
      const isFree = await hasRoom(otps, { clientId: client_id, recipient }, message_id, now);
      return isFree ? undefined : 'recipient_limit_reached';
    },

    async count({ message_id, client_id, recipient }, now) {
      const isCounted = await otps.countSend({ clientId: client_id, recipient }, message_id, now);
      return isCounted ? undefined : 'recipient_limit_reached';
    },

    async noteStarted({ message_id, channel, otp }) {
      const sent = channel === 'sms' && otp !== undefined ? await otps.get(otp.otp_id) : undefined;
      if (sent !== undefined) await otps.countSms(sent, message_id);
    },

    textOf: otpText,
  };
}
