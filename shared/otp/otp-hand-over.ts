/**
 * The hand-over of a one-time password. A later leg of a `fallback` is checked when it starts: its password must still be
 * pending, its recipient below the limit, and (for SMS) its country not held. The body then gets the code.
 */
import { refusalAmong } from '../contract/errors.ts';
import { noCountry } from '../contract/recipient-forms.ts';
import type { HandOverBody } from '../message/dispatch/carrier.ts';
import type { OtpLegs } from '../message/dispatch/start-next-leg.ts';
import type { Message } from '../message/message.ts';
import { render } from '../message/message-text.ts';
import type { Context } from '../platform/context.ts';
import { isPending, otpText } from './otp.ts';
import { deriveCode, type OtpSecrets } from './otp-code.secrets.ts';
import { assertNotHeld } from './otp-holds.dynamo.ts';
import { countOtpSend, countOtpSms, hasRoom, readOtp } from './otp-store.dynamo.ts';

export function otpLegs(ctx: Context<'ONE_TIME_PASSWORDS_TABLE' | 'OTP_HOLDS_TABLE'>): OtpLegs {
  return {
    async isPending(otpId) {
      const otp = await readOtp(ctx, otpId);
      return otp !== undefined && isPending(otp, ctx.clock());
    },

    async refusalOf({ message_id, client_id, channel, country, recipient }, now) {
      const check = channel === 'sms' ? assertNotHeld(ctx, client_id, country ?? noCountry) : undefined;
      const held = await refusalAmong(['otp_held'], check);
      if (held !== undefined) return held;
      const isFree = await hasRoom(ctx, { clientId: client_id, recipient }, message_id, now);
      return isFree ? undefined : 'recipient_limit_reached';
    },

    async count({ message_id, client_id, recipient }, now) {
      const isCounted = await countOtpSend(ctx, { clientId: client_id, recipient }, message_id, now);
      return isCounted ? undefined : 'recipient_limit_reached';
    },

    async noteStarted({ message_id, channel, otp }) {
      const sent = channel === 'sms' && otp !== undefined ? await readOtp(ctx, otp.otp_id) : undefined;
      if (sent !== undefined) await countOtpSms(ctx, sent, message_id);
    },

    textOf: otpText,
  };
}

/**
 * Returns a function that creates the text for the carrier. The text of a one-time password contains its code, and is never
 * stored.
 */
export function handOverBodies(secrets: OtpSecrets) {
  return async (message: Message): Promise<HandOverBody> => {
    const text = message.text ?? '';
    if (message.otp === undefined) return { text };
    const code = deriveCode(await secrets.current(), message.otp.otp_id, message.otp.code_length);
    const rendered = render(text, { code });
    return { text: rendered.ok ? rendered.text : text, code };
  };
}
