/**
 * A WhatsApp user who hides the phone number is known by Meta's business-scoped user id, such as `US.13491208655302741918`: the
 * key of the recipient in place of a number. Its form tells the two apart, because a number begins with a plus or a digit.
 */

/** A country, perhaps `ENT`, and up to 128 letters and digits. */
export const whatsAppUserId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

export function isWhatsAppUserId(text: string): boolean {
  return whatsAppUserId.test(text);
}
