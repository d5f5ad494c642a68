/**
 * Why a message was refused, failed or expired: `error.code` of a status response, `error_code` of a webhook
 * (contract, section 6). A code never changes its meaning; a release may add codes.
 */
import { recipientSendsMax, recipientWindowSeconds } from './times.ts';

const recipientWindow = `${recipientWindowSeconds / 60} minutes`;

interface MessageErrorNote {
  /** The sentence that the message has in addition to the code. */
  readonly message: string;
  /** The cause of the failure. */
  readonly cause: string;
  /** What the client can do about it. */
  readonly remedy: string;
  /** Whether the same message, sent again later, can be delivered. */
  readonly retryable: boolean;
}

export const messageErrorCodes = {
  invalid_recipient: {
    message: 'The recipient is not a number that messages can be sent to.',
    cause: 'The number is not in use or not a mobile number, or a test account may not send to it.',
    remedy: 'Correct the number, or remove it.',
    retryable: false,
  },
  recipient_opted_out: {
    message: 'The recipient has opted out of messages from this sender.',
    cause: 'The recipient answered STOP, or turned off messages of this kind.',
    remedy: 'Do not send to this recipient until they opt in again.',
    retryable: false,
  },
  unreachable: {
    message: 'The recipient could not be reached: the device is off, out of range or not on this channel.',
    cause: 'The device is off or out of range, or the number has no WhatsApp account.',
    remedy: 'Send again later, or on another channel.',
    retryable: true,
  },
  country_not_supported: {
    message: 'Messages to the country of this recipient are not supported.',
    cause: 'The carrier, or a protection rule of the AWS account, blocks the country.',
    remedy: 'Ask the operator of the gateway to allow the country.',
    retryable: false,
  },
  carrier_blocked: {
    message: 'The carrier or the recipient blocks messages from this sender.',
    cause: 'A filter of the carrier, of WhatsApp or of the recipient dropped the message.',
    remedy: 'Use another sender or another text, and send only to recipients who expect the message.',
    retryable: false,
  },
  carrier_throttled: {
    message: 'The carrier dropped the message because too many were sent in a short time.',
    cause: 'More messages than the carrier allows went to this recipient or from this sender.',
    remedy: 'Send again later, and more slowly.',
    retryable: true,
  },
  carrier_rejected: {
    message: 'The carrier did not accept the message.',
    cause: 'The carrier refused the message for a reason that no other code covers.',
    remedy: 'Ask the operator of the gateway.',
    retryable: false,
  },
  sender_rejected: {
    message: 'The sender may not be used for this message.',
    cause: 'The sender is not registered with the carrier, or not for this country or type of message.',
    remedy: 'Use another sender, or ask the operator of the gateway to register this one.',
    retryable: false,
  },
  content_rejected: {
    message: 'The carrier did not accept the content of the message.',
    cause: 'The carrier takes the text for spam, or does not support a part of the content.',
    remedy: 'Change the content.',
    retryable: false,
  },
  template_rejected: {
    message: 'The template does not exist, is not approved, or its parameters do not fit.',
    cause: 'WhatsApp has no approved template of this name and language, or it takes other parameters.',
    remedy: 'Correct the name, the language or the parameters, or have the template approved.',
    retryable: false,
  },
  media_rejected: {
    message: 'The media could not be fetched or is not supported.',
    cause: 'WhatsApp could not download the file, or it is too large or of another type.',
    remedy: 'Check that the URL is public, and that WhatsApp supports the type and the size of the file.',
    retryable: false,
  },
  template_required: {
    message: 'The recipient has not written in the last 24 hours: only a template may be sent.',
    cause:
      'WhatsApp takes messages without a template only within 24 hours of the last one from the recipient.',
    remedy: 'Send a template.',
    retryable: false,
  },
  spend_limit_reached: {
    message: 'The spend limit for messages has been reached.',
    cause:
      'The spend limit of the AWS account is used up, or WhatsApp has no valid payment method; or the spend cap of the client was reached when a `fallback` was to start.',
    remedy: 'Ask the operator of the gateway to raise the limit, then send again.',
    retryable: true,
  },
  message_limit_reached: {
    message: 'The limit of messages of this client has been reached.',
    cause: 'The cap on messages of the client was reached when a `fallback` was to start.',
    remedy: 'Send again when the window of the cap resets, or ask the operator of the gateway to raise it.',
    retryable: true,
  },
  recipient_limit_reached: {
    message: `The recipient has got as many one-time passwords as are allowed in ${recipientWindow}.`,
    cause: `${recipientSendsMax} messages with one-time passwords went to the recipient in ${recipientWindow} when a \`fallback\` was to start.`,
    remedy: `Wait until ${recipientWindow} have passed, then send again.`,
    retryable: true,
  },
  otp_held: {
    message: 'One-time passwords by SMS to this country are held.',
    cause:
      'Few of the last one-time passwords of the client to this country were verified, which suggests SMS pumping.',
    remedy: 'Send by WhatsApp, or ask the operator of the gateway to allow them.',
    retryable: true,
  },
  not_needed: {
    message: 'The message was not sent, because another message of the same send took its place.',
    cause:
      'Before it was handed to the carrier, another leg of its `fallback` was delivered or started, or the one-time password was verified or expired.',
    remedy: 'Nothing: look at the other messages of the send.',
    retryable: false,
  },
  hand_over_unknown: {
    message: 'It is not known whether the carrier has the message, and it was not sent again.',
    cause: 'The connection to the carrier broke, or it did not respond, and it reported nothing in time.',
    remedy: 'The message may have arrived. Send again if a second one does no harm, or set `on_unknown`.',
    retryable: true,
  },
  channel_off: {
    message: 'The gateway sends no messages by this channel.',
    cause: 'The operator of the gateway turned the channel off after the message was accepted.',
    remedy: 'Send on another channel.',
    retryable: false,
  },
  client_disabled: {
    message: 'The client was disabled before the message was handed to a carrier.',
    cause: 'An administrator disabled the client after the message was accepted.',
    remedy: 'Ask the operator of the gateway to enable the client, then send again.',
    retryable: true,
  },
  expired: {
    message: 'The message was not confirmed as delivered within its validity period.',
    cause: 'The carrier gave the message up, or reported nothing in time. It may still arrive.',
    remedy: 'Send again if the message is still of use, with a longer `validity_period`.',
    retryable: true,
  },
  unknown: {
    message: 'The carrier did not say what became of the message.',
    cause: 'The carrier reported a failure without a reason.',
    remedy: 'Send again. If it fails again, ask the operator of the gateway.',
    retryable: true,
  },
} as const satisfies Readonly<Record<string, MessageErrorNote>>;

export type MessageErrorCode = keyof typeof messageErrorCodes;

/** The message of a code that may be of a later release; null if this one does not know it. */
export function messageOfErrorCode(code: string): string | null {
  const notes: Readonly<Record<string, MessageErrorNote>> = messageErrorCodes;
  return Object.hasOwn(notes, code) ? (notes[code]?.message ?? null) : null;
}

/** The code with its message, as fields of a transition or of a refused hand-over. */
export function messageError(errorCode: MessageErrorCode): {
  readonly errorCode: MessageErrorCode;
  readonly errorMessage: string;
} {
  return { errorCode, errorMessage: messageErrorCodes[errorCode].message };
}
