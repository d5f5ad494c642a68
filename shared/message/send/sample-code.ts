/** The text of a one-time password as long as the carrier gets it, for counting its segments before its code is derived. */
import { render } from './template.ts';

/** All codes of one length have the same segments: both encodings have all digits. */
export function withSampleCode(text: string, otp: { readonly code_length: number } | undefined): string {
  const rendered = otp === undefined ? undefined : render(text, { code: '0'.repeat(otp.code_length) });
  return rendered?.ok === true ? rendered.text : text;
}
