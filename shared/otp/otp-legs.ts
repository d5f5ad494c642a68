/**
 * What the further legs of a one-time password take into account when they start: whether it can still be verified, the
 * limit of its recipient, and a hold of its country, which counts for each SMS.
 */
import { GatewayError } from '../contract/errors.ts';
import { noCountry } from '../contract/otp-hold.ts';
import type { OtpLegs } from '../message/fallback/start-next-leg.ts';
import type { Clock } from '../platform/clock.ts';
import type { AssertNotHeld } from './hold/otp-hold.ts';
import { isPending } from './otp.ts';
import type { OtpStore } from './otp-store.ts';
import { otpText } from './otp-text.ts';
import { countRecipientSend } from './recipient-limit.ts';

interface OtpLegsDependencies {
  readonly otps: Pick<OtpStore, 'get' | 'recipientSends' | 'replaceRecipientSends'>;
  readonly assertNotHeld: AssertNotHeld;
  readonly clock: Clock;
}

export function otpLegs({ otps, assertNotHeld, clock }: OtpLegsDependencies): OtpLegs {
  return {
    async isPending(otpId) {
      const otp = await otps.get(otpId);
      return otp !== undefined && isPending(otp, clock());
    },

    async refusalOf({ message_id, client_id, channel, country, recipient }, now) {
      const isHeld =
        channel === 'sms' && (await isRefused('otp_held', assertNotHeld(client_id, country ?? noCountry)));
      if (isHeld) return 'otp_held';
      const counting = countRecipientSend(otps, { clientId: client_id, recipient }, message_id, now);
      return (await isRefused('rate_limit_exceeded', counting)) ? 'recipient_limit_reached' : undefined;
    },

    textOf: otpText,
  };
}

async function isRefused(code: GatewayError['code'], check: Promise<void>): Promise<boolean> {
  try {
    await check;
    return false;
  } catch (error) {
    if (error instanceof GatewayError && error.code === code) return true;
    throw error;
  }
}
