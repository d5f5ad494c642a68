/** Why a message was refused or failed: stable codes, each with the one sentence a client reads beside it. */

export const refusals = {
  invalid_recipient: 'The recipient is not a number that messages can be sent to.',
  recipient_opted_out: 'The recipient has opted out of messages from this sender.',
  unreachable: 'The recipient could not be reached: the device is off, out of range or not on this channel.',
  country_not_supported: 'Messages to the country of this recipient are not supported.',
  carrier_blocked: 'The carrier or the recipient blocks messages from this sender.',
  carrier_throttled: 'The carrier dropped the message because too many were sent in a short time.',
  carrier_rejected: 'The carrier did not accept the message.',
  sender_rejected: 'The sender may not be used for this message.',
  content_rejected: 'The carrier did not accept the content of the message.',
  template_rejected: 'The template does not exist, is not approved, or its parameters do not fit.',
  media_rejected: 'The media could not be fetched or is not supported.',
  template_required: 'The recipient has not written in the last 24 hours: only a template may be sent.',
  spend_limit_reached: 'The spend limit for messages has been reached.',
  expired: 'The message was not delivered within its validity period.',
  unknown: 'The carrier did not say what became of the message.',
} as const;

export type RefusalCode = keyof typeof refusals;

/** The code with its sentence, as a transition and a refused hand-over carry them. */
export function refusal(errorCode: RefusalCode): {
  readonly errorCode: RefusalCode;
  readonly errorMessage: string;
} {
  return { errorCode, errorMessage: refusals[errorCode] };
}
