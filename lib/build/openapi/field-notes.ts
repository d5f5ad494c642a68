/**
 * Descriptions of fields that are not beside the field: of requests, and of parts of responses that functions load too, where
 * they would be in every bundle. Those of responses are in the `*-response.schema.ts` of their noun.
 * `{maximum}` and the like are the keywords of the field's own schema.
 */

import { inWords } from '../../../shared/contract/in-words.ts';
import { eventFilters } from '../../../shared/contract/webhook-events.ts';
import { singleSegment } from '../../../shared/message/send/segments.ts';
import {
  maxMessageCharacters,
  referenceCharactersMax,
  scheduledAhead,
  validityMaxSeconds,
} from '../../../shared/message/send/send-fields.ts';
import { parameterSpacesMax } from '../../../shared/message/whatsapp-content.ts';
import { codeLength, codeLengthText, maxAttempts, ttlSeconds } from '../../../shared/otp/otp.ts';
import { defaultPurpose } from '../../../shared/otp/otp-request.ts';
import { senderNameRule } from '../../../shared/recipient/phone-number.ts';
import { textKeptBytes } from '../../../shared/webhook/attempt-log.ts';

type Notes = Readonly<Record<string, string>>;

/** Where the field means the same in every schema that has it. */
export const commonNotes: Notes = {
  client_id: "The client's identifier.",
  message_id: 'The identifier of the message.',
  status: 'The state of the message, such as `queued` or `delivered`.',
  channel: '`sms` or `whatsapp`.',
  recipient: "The recipient's phone number, without digits that are dialed within its country only.",
  reference: `The client's own reference, up to ${referenceCharactersMax} characters; returned by every look-up and webhook.`,
  encoding: '`GSM-7`, or `UCS-2` where a character is outside it.',
  segments: 'How many SMS the text takes; each is charged.',
  created_at: 'When the request was accepted.',
  cost: 'What the message costs; null until it is known.',
  currency: 'The currency of `cost` (ISO 4217).',
  delivered_at:
    'When the recipient got it; in countries whose carriers do not report from the handset, when the carrier accepted it.',
  received_at: 'When the message was received.',
  in_reply_to: 'The message that it answers, if the carrier names it.',
  fallback_of: 'The first message of the send, if this one followed it as its `fallback`.',
  batch_id: 'The identifier of the batch.',
  total: 'How many recipients the request named.',
  accepted: 'How many of them were accepted.',
  rejected: 'How many of them were refused; `errors` says why.',
  index: "The recipient's place in the request, from 0.",
  next_cursor: 'Hand this to `cursor` for the next page; absent on the last.',
  otp_id: 'The identifier of the one-time password.',
  attempts_remaining: 'How many wrong codes are still allowed.',
  endpoint_id: 'The identifier of the webhook endpoint.',
  delivery_id: 'The identifier of the notification, which it carries as `webhook-id`.',
  next_due_at: 'When the next attempt is due; none where none follows.',
  events: `The events that it receives: ${eventFilters.map((filter) => `\`${filter}\``).join(', ')}. Null: every event.`,
  sqs: 'In place of `url`: an Amazon SQS queue in your AWS account.',
  eventbridge: 'In place of `url`: an Amazon EventBridge event bus in your AWS account.',
  queue_arn: 'The ARN of the queue, standard or FIFO.',
  bus_arn: 'The ARN of the event bus.',
  role_arn:
    'The ARN of a role in the account of the queue or bus, which trusts the gateway’s account with your `client_id` as external id and may send to it.',
  source:
    'Who asked for it: the person by a `keyword`, the `carrier`, the `client`, or an administrator (`admin`).',
  deleted: 'Always true.',
  event: 'The name of the event.',
  timestamp: 'When it happened.',
  retry_after: 'Seconds to wait; only on 429.',
};

const to = "The recipient's phone number in international format (E.164), such as `+447700900123`.";
const ofSends: Notes = {
  to,
  from: `The sender: a phone number in international format, or a name of ${senderNameRule}. Required where the client may use certain senders only.`,
  type: '`transactional` (the default) or `promotional`: carriers route and price the two differently.',
  webhook_url:
    'The URL to which the events of this message are posted; without it they go to the URL of the account. It must be https on port 443 (or http on port 80 where the deployment allows it), with a public address and without a user name.',
  validity_period: `Seconds for which delivery is tried, {minimum} to {maximum} (${inWords([validityMaxSeconds])}, the default). After it the message becomes \`expired\`.`,
  scheduled_at: `When to send, ${inWords([scheduledAhead.secondsMin])} to ${scheduledAhead.daysMax} days ahead; with an offset or \`Z\`.`,
  fallback:
    'At most {maxItems} messages that follow if this one is not delivered, in their order: each is sent if the one before it is `failed`, `expired`, or not `delivered` after `after_seconds`.',
};

const ofLegs: Notes = {
  channel: 'The channel of this message. The message before it may have the same.',
  after_seconds:
    'How long the message before it has to be delivered, in seconds from when that one is queued. Left out: this message is sent only if that one fails or expires.',
};

const scope = '`messages`: one-time passwords are still sent; `all`: nothing is sent.';

const ofEndpoints: Notes = {
  url: 'Where it is posted. https, port 443 (or http and port 80 where the deployment allows it), a public address, no credentials.',
  description: 'A text for people, up to {maxLength} characters.',
  enabled: 'Whether it receives events.',
};

const coordinates: Notes = {
  latitude: 'Degrees, -90 to 90.',
  longitude: 'Degrees, -180 to 180.',
  address: 'The address, as text.',
};

const file: Notes = {
  id: 'The identifier of a file that was uploaded before.',
  caption: 'Text below an image, a video or a document.',
  filename: 'The name under which a document is shown.',
};

/** By schema and field. */
export const schemaNotes: Readonly<Record<string, Notes>> = {
  TokenRequest: {
    client_secret: "The client's secret. Left out of the body where HTTP Basic carries the credentials.",
    grant_type: 'Must be `client_credentials`.',
    scope: 'The scopes asked for, separated by spaces; all that the client has where it is left out.',
  },

  SmsMessage: {
    ...ofSends,
    message: `The text to send, {minLength} to {maxLength} characters, not only white space. Above ${singleSegment.septets} characters (GSM-7) or ${singleSegment.codeUnits} (UCS-2) it goes as several segments.`,
  },
  BulkSms: {
    ...ofSends,
    message: `The template of all rows that bring none of their own, up to {maxLength} characters; after rendering 1 to ${maxMessageCharacters}.`,
    recipients: '{minItems} to {maxItems} recipients: objects, or bare numbers.',
    reference: 'The reference of the messages whose rows bring none of their own.',
  },
  BulkRow: {
    to,
    message: 'A template for this recipient only.',
    variables: 'Values for the placeholders of the template.',
    reference: 'The reference of this message.',
  },
  RejectedRecipient: {
    to: 'The recipient as the request gave it; null where it gave none.',
    error: 'A stable code.',
    message: 'A sentence for a person.',
  },

  WhatsappMessage: {
    ...ofSends,
    type: 'What is sent; `text` where it is not given.',
    message: 'The text to send, {minLength} to {maxLength} characters, not only white space.',
    template: 'A template that was approved before.',
    fallback_template: 'A template that is sent instead where WhatsApp takes templates only.',
    media: 'The file to send: either `url` or `id`.',
    location: 'A place.',
  },
  WhatsappTemplate: {
    name: 'The name of the template.',
    language: 'A language code, such as `en` or `en_GB`.',
    parameters: 'What is put into the template.',
  },
  TemplateParameters: {
    header:
      'The value of a text header (by its name where the template names it), or the media of a media header.',
    body: `Values in their order, or by their names, without line breaks, tabs or more than ${parameterSpacesMax} spaces in a row.`,
    buttons: 'What the buttons hold; a bare value fills the address of the URL button at its place.',
  },
  HeaderMedia: { type: 'What the media is.', media: 'The file to send: either `url` or `id`.' },
  Button: {
    type: 'What the button does.',
    index:
      "The button's place in the template. By default its place in this list, or the first free one if another button names that.",
    value: 'What the button holds.',
  },
  Media: { ...file, url: 'Where the carrier fetches the file (http or https).' },
  Location: { ...coordinates, name: 'What the place is called.' },

  Fallback: {
    ...ofLegs,
    message:
      'Its text; by default that of the request. Required for an SMS if the request is for a WhatsApp message that is no text, or whose text is too long for an SMS.',
    template: 'A WhatsApp template in place of a text.',
    from: 'The sender, for an SMS only; by default that of the request, if the request is for an SMS.',
  },

  OtpMessage: {
    ...ofSends,
    channel: '`sms` (the default) or `whatsapp`.',
    code_length: `Length of the code, ${codeLengthText}; default ${codeLength.default}.`,
    ttl: `Seconds for which the code is valid, {minimum} to {maximum}; default ${ttlSeconds.default}.`,
    max_attempts: `How many codes may be tried, {minimum} to {maximum}; default ${maxAttempts.default}.`,
    purpose: `What the code is for: one code can be pending for each recipient and purpose. Default \`${defaultPurpose}\`.`,
    template: 'The text: it must hold `{{code}}`, and may hold `{{brand}}` and `{{ttl_minutes}}`.',
    brand: 'The name that takes the place of `{{brand}}`.',
    fallback: `${ofSends.fallback} All of them have the same code.`,
  },
  OtpFallback: {
    ...ofLegs,
    after_seconds: `${ofLegs.after_seconds} Together they must be shorter than \`ttl\`.`,
  },
  OtpVerification: {
    otp_id: 'The `otp_id` that the send answered with; or give `to`.',
    to: 'The recipient, where no `otp_id` is given.',
    purpose: `With \`to\`: the purpose that the code was sent for. Default \`${defaultPurpose}\`.`,
    code: `The code as the recipient typed it, ${codeLengthText}.`,
  },

  AccountUpdate: { webhook_url: 'The URL for messages that name none of their own; null removes it.' },
  Suppression: { scope },
  SuppressionUpdate: { scope, reason: 'Why it is suppressed, for people; up to {maxLength} characters.' },

  WebhookEndpointSettings: ofEndpoints,
  WebhookEndpointUpdate: ofEndpoints,
  TestEvent: { event: 'The event to send; by default one that the endpoint receives.' },
  WebhookSelection: {
    endpoint_id: 'Only what was to be posted to this endpoint.',
    origin:
      'Only what was to be posted to this origin, such as `https://example.com`, wherever its URL comes from; or the ARN of a queue or event bus.',
    state: '`failed` (the default) or `acknowledged`.',
    since: 'The first time of an event.',
    until: 'The last time of an event; by default now.',
  },
  WebhookAttempt: {
    number: 'The number of the attempt, from 1.',
    trigger:
      '`automatic`, `manual` where somebody asked for it, or `sweep` where its queue message was lost.',
    due_at: 'When the attempt was due.',
    started_at: 'When it began.',
    ended_at: 'When it ended.',
    lateness_ms: 'From `due_at` to `started_at`.',
    dns_ms: 'Looking up the name.',
    connect_ms: 'Connecting.',
    tls_ms: 'The TLS handshake.',
    first_byte_ms: 'From the request to the first byte of the response.',
    total_ms: 'All of it.',
    reused_connection: 'Whether an open connection was used.',
    address: 'The IP address of the server.',
    status: 'The status of the response.',
    request_headers: 'What was sent; signatures are replaced by `[redacted]`.',
    response_headers: 'What was answered.',
    response_body: `The first ${textKeptBytes / 1024} KiB of the response.`,
    error: 'Why it failed: a stable code, or one that a later release adds.',
    error_message: 'Why it failed: a sentence.',
    shortened: 'Whether headers were left out and texts shortened, to make room for later attempts.',
  },

  ReceivedContent: {
    type: 'What it holds: the field of the same name, or `media`.',
    media: 'The file, which is fetched from AWS by its `id`.',
    location: 'A place.',
    button_reply: 'The button that the person chose.',
    list_reply: 'The entry of a list that the person chose.',
    reaction: 'A reaction to the message of `in_reply_to`.',
    contacts: 'Contact cards, as Meta gives them.',
    flow_reply: 'The answers to a flow, as Meta gives them.',
    order: 'An order from a catalog, as Meta gives it.',
  },
  ReceivedMedia: { ...file, mime_type: 'The type of the file.' },
  ReceivedLocation: { ...coordinates, name: 'The name.' },
  ButtonReply: { id: 'The identifier or payload of the button.', title: 'The text that the person chose.' },
  ListReply: {
    id: 'The identifier of the entry.',
    title: 'The text that the person chose.',
    description: 'The description of the entry.',
  },
  Reaction: { emoji: 'The emoji; absent where the person removed the reaction.' },
};
