/** Creates the text for the carrier. That of a one-time password has its code, and is never stored. */
import type { HandOverBody } from '../message/dispatch/carrier.ts';
import type { Message } from '../message/message.ts';
import { render } from '../message/send/template.ts';
import { deriveCode } from './code.ts';
import type { OtpSecrets } from './otp-secret.ts';

export function handOverBodies(secrets: OtpSecrets) {
  return async (message: Message): Promise<HandOverBody> => {
    const text = message.text ?? '';
    if (message.otp === undefined) return { text };
    const code = deriveCode(await secrets.current(), message.otp.otp_id, message.otp.code_length);
    const rendered = render(text, { code });
    return { text: rendered.ok ? rendered.text : text, code };
  };
}
