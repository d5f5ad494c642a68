/**
 * Descriptions of request fields, and of parts of responses that functions also load. If they were next to the fields,
 * every bundle would contain them. The other descriptions of responses are in the noun's `*-response.schema.ts`.
 * Placeholders such as `{maximum}` stand for keywords of the field's own schema.
 */

import { previousSecretHours } from '../../../shared/client/client-admin.ts';
import { exampleUserId, senderNameRule } from '../../../shared/contract/phone-number.ts';
import { eventFilters } from '../../../shared/contract/webhook-events.ts';
import { maxMessageCharacters, singleSegment } from '../../../shared/message/message-text.ts';
import {
  referenceCharactersMax,
  scheduledAhead,
  validityMaxSeconds,
} from '../../../shared/message/send/send-fields.ts';
import { parameterSpacesMax } from '../../../shared/message/whatsapp-content.ts';
import {
  codeLength,
  codeLengthText,
  defaultPurpose,
  maxAttempts,
  ttlSeconds,
} from '../../../shared/otp/otp-request.ts';
import { inWords } from '../../../shared/platform/clock.ts';
import { textKeptBytes } from '../../../shared/webhook/attempt-record.ts';

type Notes = Readonly<Record<string, string>>;

/** Descriptions of fields with the same meaning in every schema. */
export const commonNotes: Notes = {
  client_id: "The client's identifier.",
  message_id: 'The identifier of the message.',
  status: 'The state of the message, such as `queued` or `delivered`.',
  channel: '`sms` or `whatsapp`.',
  recipient:
    "The recipient's phone number, without digits that are dialed within its country only, or the id of a WhatsApp user.",
  reference: `The client's own reference, up to ${referenceCharactersMax} characters. Every look-up and webhook returns it.`,
  encoding: '`GSM-7`, or `UCS-2` if a character is outside GSM-7.',
  segments: 'The number of SMS segments that the text needs; each segment is charged.',
  created_at: 'When the request was accepted.',
  cost: 'The cost of the message; null until it is known.',
  currency: 'The currency of `cost` (ISO 4217).',
  delivered_at:
    'When the recipient received the message. In countries without reports from phones: when the carrier accepted it.',
  received_at: 'When the message was received.',
  in_reply_to: 'The message that this message replies to, if the carrier names it.',
  fallback_of: 'The first message of the send; present if this message is a leg of its `fallback`.',
  batch_id: 'The identifier of the batch.',
  total: 'The number of recipients in the request.',
  accepted: 'The number of accepted recipients.',
  rejected: 'The number of refused recipients; see `errors`.',
  index: "The recipient's place in the request, from 0.",
  next_cursor: 'The value of `cursor` for the next page; absent on the last page.',
  otp_id: 'The identifier of the one-time password.',
  attempts_remaining: 'The number of attempts left.',
  endpoint_id: 'The identifier of the webhook endpoint.',
  delivery_id: 'The identifier of the webhook, which is also its `webhook-id` header.',
  next_due_at: 'When the next attempt is due; absent if there are no more attempts.',
  events: `The events that it receives: ${eventFilters.map((filter) => `\`${filter}\``).join(', ')}. Null: every event.`,
  sqs: 'In place of `url`: an Amazon SQS queue in your AWS account.',
  eventbridge: 'In place of `url`: an Amazon EventBridge event bus in your AWS account.',
  queue_arn: 'The ARN of the queue, standard or FIFO.',
  bus_arn: 'The ARN of the event bus.',
  role_arn:
    'The ARN of a role in the account of the queue or bus, which trusts the gateway’s account with your `client_id` as external id and may send to it.',
  source:
    'The author of the suppression: the recipient by a `keyword`, the `carrier`, the `client`, or an administrator (`admin`).',
  deleted: 'Always true.',
  event: 'The name of the event.',
  timestamp: 'When it happened.',
  retry_after: 'Seconds to wait; only on 429.',
};

const to =
  "The recipient's phone number in international format, such as `+447700900123`. Spaces, hyphens, parentheses and dots in it are ignored.";
const ofSends: Notes = {
  to,
  from: `The sender: a phone number in international format, or a name of ${senderNameRule}. Required if the client may use only certain senders.`,
  type: '`transactional` (the default) or `promotional`: carriers use different routes and prices for these types.',
  webhook_url:
    'The URL to which the events of this message are posted; by default the URL of the account. It must be https on port 443 (or http on port 80 if the deployment allows it), with a public address and without a user name.',
  validity_period: `The seconds in which the message must be delivered, {minimum} to {maximum} (${inWords([validityMaxSeconds])}, the default). After that, the message becomes \`expired\`.`,
  scheduled_at: `When to send, ${inWords([scheduledAhead.secondsMin])} to ${scheduledAhead.daysMax} days ahead; with an offset or \`Z\`.`,
  smart_encoding:
    'True: quotes, dashes, ellipses and spaces are replaced in SMS, if the whole text then is GSM-7 and takes no more segments. Letters stay. By default as set for the account.',
  fallback:
    'At most {maxItems} more messages, to send in this order if this message is not delivered. Each is sent if the previous message is `failed`, `expired`, or not `delivered` after `after_seconds`.',
};

const ofLegs: Notes = {
  channel: 'The channel of this message; it may be the same as the channel of the previous message.',
  after_seconds:
    'How many seconds after it is queued the previous message must be delivered. If omitted, this message is sent only if the previous one fails or expires.',
};

const scope = '`messages`: one-time passwords are still sent; `all`: nothing is sent.';

const ofEndpoints: Notes = {
  url: 'The URL to which events are posted: https, port 443 (or http and port 80 if the deployment allows it), a public address, no credentials.',
  description: 'A text for people, up to {maxLength} characters.',
  timeout_seconds:
    'The time limit of an attempt at a URL, {minimum} to {maximum} seconds; null selects {minimum}. Above {minimum}, the retry queue serves the endpoint.',
  enabled: 'True if the endpoint receives events.',
};

const coordinates: Notes = {
  latitude: 'Degrees, -90 to 90.',
  longitude: 'Degrees, -180 to 180.',
  address: 'The address, as text.',
};

const file: Notes = {
  id: 'The identifier of a file that was uploaded before.',
  caption: 'The text below an image, a video or a document.',
  filename: 'The file name that the recipient sees for a document.',
};

/** Descriptions by schema and field. */
export const schemaNotes: Readonly<Record<string, Notes>> = {
  TokenRequest: {
    client_secret: "The client's secret. Omit it if HTTP Basic carries the credentials.",
    grant_type: 'Must be `client_credentials`.',
    scope: 'The requested scopes, separated by spaces; by default all scopes of the client.',
  },

  SmsMessage: {
    ...ofSends,
    message: `The text to send, {minLength} to {maxLength} characters, not only white space. A text of more than ${singleSegment.septets} characters (GSM-7) or ${singleSegment.codeUnits} (UCS-2) is sent in several segments.`,
  },
  BulkSms: {
    ...ofSends,
    message: `The template of all rows that have no \`message\`, up to {maxLength} characters; after rendering 1 to ${maxMessageCharacters}.`,
    recipients: '{minItems} to {maxItems} recipients: objects, or bare numbers.',
    reference: 'The reference for messages whose rows have no `reference`.',
  },
  BulkRow: {
    to,
    message: 'A template for this recipient only.',
    variables: 'Values for the placeholders of the template.',
    reference: 'The reference of this message.',
  },
  RejectedRecipient: {
    to: 'The recipient as given in the request; null if there was none.',
    error: 'A stable code.',
    message: 'A sentence for people.',
  },

  WhatsappMessage: {
    ...ofSends,
    to: `${to} Or Meta's id of a WhatsApp user, such as \`${exampleUserId}\`, which belongs to the number of ours that the user wrote to.`,
    type: 'The kind of message; `text` by default.',
    message: 'The text to send, {minLength} to {maxLength} characters, not only white space.',
    template: 'A template that WhatsApp has approved.',
    fallback_template: 'A template that is sent instead if WhatsApp permits only templates.',
    media: 'The file to send: either `url` or `id`.',
    location: 'A place.',
  },
  WhatsappTemplate: {
    name: 'The name of the template.',
    language: 'A language code, such as `en` or `en_GB`.',
    parameters: 'The values for the template.',
  },
  TemplateParameters: {
    header:
      'A text header: its value, or an object with the value by its name. A media header: an object with `type` (`image`, `video` or `document`) and `media`, as in a request.',
    body: `A list of values in their order, or an object with the values by their names, without line breaks, tabs or more than ${parameterSpacesMax} spaces in a row.`,
    buttons:
      'The values of the buttons. A plain value completes the URL of the URL button at the same position.',
  },
  Button: {
    type: 'The type of the button.',
    index:
      "The button's place in the template. By default its place in this list, or the first free one if another button names that.",
    value: 'The value of the button.',
  },
  Media: { ...file, url: 'The address from which the carrier fetches the file (http or https).' },
  Location: { ...coordinates, name: 'The name of the place.' },

  Fallback: {
    ...ofLegs,
    message:
      'The text of this message; by default the text of the request. Required for an SMS if the request is for a WhatsApp message without a text, or with a text that is too long for an SMS.',
    template: 'A WhatsApp template in place of a text.',
    from: 'The sender, for an SMS only. By default the sender of the request, if the request is for an SMS.',
  },

  OtpMessage: {
    ...ofSends,
    channel: '`sms` (the default) or `whatsapp`.',
    code_length: `The length of the code, ${codeLengthText}; default ${codeLength.default}.`,
    ttl: `Seconds for which the code is valid, {minimum} to {maximum}; default ${ttlSeconds.default}.`,
    max_attempts: `The maximum number of attempts to verify the code, {minimum} to {maximum}; default ${maxAttempts.default}.`,
    purpose: `The purpose of the code, default \`${defaultPurpose}\`. For each recipient and purpose, only one code can be pending.`,
    template: 'The text: it must contain `{{code}}`, and may contain `{{brand}}` and `{{ttl_minutes}}`.',
    brand: 'The name that replaces `{{brand}}`.',
    fallback: `${ofSends.fallback} All these messages contain the same code.`,
  },
  OtpFallback: {
    ...ofLegs,
    after_seconds: `${ofLegs.after_seconds} The sum must be shorter than \`ttl\`.`,
  },
  OtpVerification: {
    otp_id: 'The `otp_id` in the response to the send. Alternatively, give `to`.',
    to: 'The recipient of the code. Alternatively, give `otp_id`.',
    purpose: `The purpose in the request that sent the code. With \`to\` and no \`otp_id\`, the default is \`${defaultPurpose}\`.`,
    code: `The code as the recipient typed it: ${codeLengthText}. Spaces, hyphens, parentheses and dots are ignored.`,
  },

  AccountUpdate: {
    webhook_url: 'The URL for messages that have no `webhook_url`; null removes the URL.',
    smart_encoding:
      'True: typographic characters of SMS are replaced, unless a request sets `smart_encoding`.',
  },
  Suppression: { scope },
  SuppressionUpdate: {
    scope,
    reason: 'The reason for the suppression, for people; up to {maxLength} characters.',
  },

  WebhookEndpointSettings: ofEndpoints,
  WebhookEndpointUpdate: ofEndpoints,
  SecretRotation: {
    overlap_hours: `Hours in which both the old and the new secret sign, {minimum} to {maximum}; by default ${previousSecretHours}. After a leak, choose 0: every older secret ends at \`active_at\`.`,
  },
  TestEvent: { event: 'The event to send; by default an event that the endpoint receives.' },
  WebhookSelection: {
    endpoint_id: 'Selects webhooks to this endpoint.',
    origin:
      'Selects webhooks to this origin, such as `https://example.com`, for messages, the account and endpoints; or to this ARN of a queue or event bus.',
    state: '`failed` (the default), `acknowledged`, or `skipped`: the endpoint was disabled.',
    since: 'The earliest time of an event.',
    until: 'The latest time of an event; by default now.',
  },
  WebhookAttempt: {
    number: 'The number of the attempt, from 1.',
    trigger: '`automatic`, or `manual` if somebody requested it.',
    due_at: 'When the attempt was due.',
    started_at: 'When the attempt began.',
    ended_at: 'When the attempt ended.',
    lateness_ms: 'Milliseconds from `due_at` to `started_at`.',
    dns_ms: 'Milliseconds from the start of the attempt until the name was resolved.',
    connect_ms: 'Milliseconds from the start of the attempt until the connection was open.',
    tls_ms: 'Milliseconds from the start of the attempt until the TLS handshake ended.',
    first_byte_ms: 'Milliseconds from the start of the attempt until the first byte of the response.',
    total_ms: 'Milliseconds for the whole attempt.',
    reused_connection: 'True if the attempt used a connection that was already open.',
    address: 'The IP address of the server.',
    status: 'The status of the response.',
    request_headers: 'The headers of the request; signatures are replaced by `[redacted]`.',
    response_headers: 'The headers of the response.',
    response_body: `The first ${textKeptBytes / 1024} KiB of the response.`,
    error: 'The reason of the failure: a stable code. A release may add codes.',
    error_message: 'The reason of the failure, as a sentence.',
    shortened: 'True if headers were omitted and texts shortened to make room for later attempts.',
  },

  ReceivedContent: {
    type: 'The kind of content. The content is in the field with the same name, or in `media`.',
    media: 'The file. Fetch it from AWS by its `id`.',
    location: 'A place.',
    button_reply: 'The button that the recipient chose.',
    list_reply: 'The list entry that the recipient chose.',
    reaction: 'A reaction to the message that `in_reply_to` names.',
    contacts: 'Contact cards, as Meta gives them.',
    flow_reply: 'The responses to a flow, as Meta gives them.',
    order: 'An order from a catalog, as Meta gives it.',
  },
  ReceivedMedia: { ...file, mime_type: 'The type of the file.' },
  ReceivedLocation: { ...coordinates, name: 'The name.' },
  ButtonReply: {
    id: 'The identifier or payload of the button.',
    title: 'The text that the recipient chose.',
  },
  ListReply: {
    id: 'The identifier of the entry.',
    title: 'The text that the recipient chose.',
    description: 'The description of the entry.',
  },
  Reaction: { emoji: 'The emoji; absent if the recipient removed the reaction.' },
};
