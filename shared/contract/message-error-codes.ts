/**
 * The codes of messages that were refused, failed or expired: `error.code` of a status response, `error_code` of a webhook
 * (contract, section 6). A code never changes its meaning; a release may add codes.
 */

/** The sentence that is stored with each error code. `message-error-notes.ts` explains the codes in more detail. */
export const messageErrorCodes = {
  invalid_recipient: 'The recipient is not a number that messages can be sent to.',
  recipient_opted_out: 'The recipient has opted out of messages from this sender.',
  unreachable: 'The recipient could not be reached: the device is off, out of range or not on this channel.',
  country_not_supported: "Messages to the recipient's country are not supported.",
  carrier_blocked: 'The carrier or the recipient blocks messages from this sender.',
  carrier_throttled: 'The carrier dropped the message because too many were sent in a short time.',
  carrier_rejected: 'The carrier did not accept the message.',
  sender_rejected: 'The sender may not be used for this message.',
  content_rejected: 'The carrier did not accept the content of the message.',
  template_rejected: 'The template does not exist, is not approved, or its parameters do not fit.',
  media_rejected: 'The media could not be fetched or is not supported.',
  template_required: 'The recipient has not written in the last 24 hours: only a template may be sent.',
  spend_limit_reached: 'The spend limit for messages has been reached.',
  message_limit_reached: 'The limit of messages of this client has been reached.',
  recipient_limit_reached:
    'The recipient has received as many one-time passwords as are allowed in 10 minutes.',
  otp_held: 'One-time passwords by SMS to this country are held.',
  not_needed: 'The message was not sent, because another message of the same send took its place.',
  hand_over_unknown: 'It is unknown if the carrier has the message, so the message was not sent again.',
  channel_off: 'The gateway sends no messages by this channel.',
  client_disabled: 'The client was disabled before the message was handed to a carrier.',
  expired: 'The message was not confirmed as delivered within its validity period.',
  unknown: 'The carrier reported a failure without a reason.',
} as const satisfies Readonly<Record<string, string>>;

export type MessageErrorCode = keyof typeof messageErrorCodes;

/** Returns the sentence of a code; null if the code is unknown. */
export function messageOfErrorCode(code: string): string | null {
  const messages: Readonly<Record<string, string>> = messageErrorCodes;
  return Object.hasOwn(messages, code) ? (messages[code] ?? null) : null;
}

export function messageError(errorCode: MessageErrorCode) {
  return { errorCode, errorMessage: messageErrorCodes[errorCode] };
}
