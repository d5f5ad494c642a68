/**
 * Explains each error code, and what the client can do, for the documentation and the dashboard. Functions do not load
 * these texts, which would slow their start.
 */

import type { MessageErrorCode } from './message-error-codes.ts';
import { recipientSendsMax, recipientWindowSeconds } from './rate-limits-and-caps.ts';

const recipientWindow = `${recipientWindowSeconds / 60} minutes`;

export const messageErrorNotes: Readonly<
  Record<
    MessageErrorCode,
    {
      readonly cause: string;
      readonly remedy: string;
      /** True if the same message may be delivered when it is sent again later. */
      readonly retryable: boolean;
    }
  >
> = {
  invalid_recipient: {
    cause:
      'The number of the recipient is not in use or not a mobile number, or a test account may not send to it.',
    remedy: 'Correct the number, or remove it.',
    retryable: false,
  },
  recipient_opted_out: {
    cause: 'The recipient opted out: they answered STOP, or turned off messages of this kind.',
    remedy: 'Do not send to this recipient until they opt in again.',
    retryable: false,
  },
  unreachable: {
    cause: "The recipient's device is off or out of range, or the number has no WhatsApp account.",
    remedy: 'Send again later, or on another channel.',
    retryable: true,
  },
  country_not_supported: {
    cause: "The carrier, or a protection rule of the AWS account, blocks the recipient's country.",
    remedy: 'Ask the operator of the gateway to allow the country.',
    retryable: false,
  },
  carrier_blocked: {
    cause: 'A filter of the carrier, of WhatsApp or of the recipient dropped the message.',
    remedy: 'Use another sender or another text, and send only to recipients who expect the message.',
    retryable: false,
  },
  carrier_throttled: {
    cause: 'The carrier dropped the message, because too many went to this recipient or from this sender.',
    remedy: 'Send again later, and more slowly.',
    retryable: true,
  },
  carrier_rejected: {
    cause: 'The carrier refused the message for a reason that no other code covers.',
    remedy: 'Ask the operator of the gateway.',
    retryable: false,
  },
  sender_rejected: {
    cause:
      'The sender is not registered with the carrier, or not registered for this country or type of message.',
    remedy: 'Use another sender, or ask the operator of the gateway to register this one.',
    retryable: false,
  },
  content_rejected: {
    cause: 'The carrier treats the text as spam, or does not support a part of the content.',
    remedy: 'Change the content.',
    retryable: false,
  },
  template_rejected: {
    cause: 'WhatsApp has no approved template with this name and language, or it takes other parameters.',
    remedy: 'Correct the name, the language or the parameters, or have the template approved.',
    retryable: false,
  },
  media_rejected: {
    cause: 'WhatsApp could not download the file, or does not support its size or type.',
    remedy: 'Check that the URL is public, and that WhatsApp supports the file.',
    retryable: false,
  },
  template_required: {
    cause: 'The recipient has not written in the last 24 hours, so WhatsApp accepts only a template.',
    remedy: 'Send a template.',
    retryable: false,
  },
  spend_limit_reached: {
    cause:
      "The AWS account's spend limit is used up, WhatsApp has no valid payment method, or the client's spend cap was reached when a `fallback` leg was to start.",
    remedy: 'Ask the operator of the gateway to raise the limit, then send again.',
    retryable: true,
  },
  message_limit_reached: {
    cause: "The client's cap on messages was reached when a `fallback` leg was to start.",
    remedy: 'Send again when the window of the cap resets, or ask the operator of the gateway to raise it.',
    retryable: true,
  },
  recipient_limit_reached: {
    cause: `The recipient already got ${recipientSendsMax} one-time passwords in a window of ${recipientWindow} when a \`fallback\` leg was to start.`,
    remedy: `Send again in the next window of ${recipientWindow}.`,
    retryable: true,
  },
  otp_held: {
    cause: "Few of the client's last one-time passwords were verified, which suggests SMS pumping.",
    remedy: 'Send by WhatsApp, or ask the operator of the gateway to allow them.',
    retryable: true,
  },
  not_needed: {
    cause:
      'The message was not sent, because another leg of its `fallback` was delivered or started, or because the one-time password was verified or expired.',
    remedy: 'Nothing: look at the other messages of the send.',
    retryable: false,
  },
  hand_over_unknown: {
    cause: 'The carrier did not respond and sent no report in time, so the message was not sent again.',
    remedy: 'The message may have arrived. Send again if a second one does no harm.',
    retryable: true,
  },
  channel_off: {
    cause: 'The operator of the gateway turned the channel off after the message was accepted.',
    remedy: 'Send on another channel.',
    retryable: false,
  },
  client_disabled: {
    cause: 'An administrator disabled the client after the message was accepted.',
    remedy: 'Ask the operator of the gateway to enable the client, then send again.',
    retryable: true,
  },
  expired: {
    cause: 'The message was not confirmed as delivered within its validity period. It may still arrive.',
    remedy: 'Send again with a longer `validity_period`, if the message is still useful.',
    retryable: true,
  },
  unknown: {
    cause: 'The carrier reported a failure without a reason.',
    remedy: 'Send again. If it fails again, ask the operator of the gateway.',
    retryable: true,
  },
};
