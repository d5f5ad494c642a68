/**
 * The schema of the responses about messages (contract, section 5), suppressions (section 13) and the test outbox (section
 * 17). Functions import only the types.
 */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { messageErrorCodes } from '../contract/message-error-codes.ts';
import { recipientTypes } from '../contract/recipient-forms.ts';
import { described } from '../operation/fields.ts';
import { attemptOutcomes } from './attempt.ts';
import { encodings, messageTypes, statuses } from './message.ts';
import { shownCharacters } from './smart-encoding.ts';
import { rowError } from './store/batches.dynamo.ts';
import { windowHours } from './store/whatsapp-window.dynamo.ts';
import { scopes, sources } from './suppression/suppression.ts';
import { receivedContent } from './whatsapp-content.ts';

export const instant = z.iso.datetime().check(z.meta({ examples: ['2026-11-20T10:00:00.000Z'] }));
export const recipient = z.string().check(z.meta({ examples: ['+447700900123'] }));
export const recipientType = described(
  z.exactOptional(z.enum(recipientTypes)),
  '`whatsapp_user_id` if the recipient is the id of a WhatsApp user; absent for a number.',
);
export const fromType = described(
  z.exactOptional(z.enum(recipientTypes)),
  '`whatsapp_user_id` if `from` is the id of a WhatsApp user; absent for a number.',
);
export const reference = z.nullable(z.string());
export const channel = z.enum(channels);
/** Present on all data that a test key created. */
export const testMode = described(
  z.exactOptional(z.literal('test')),
  '`test` on data that a test key created; absent on live data.',
);
export const count = z.int().check(z.nonnegative());
export const idOf = (prefix: string) =>
  z.string().check(z.meta({ pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` }));

const status = z.enum(statuses);
export const encoding = z.enum(encodings);
export const segments = z.int().check(z.positive());

/** A string and not an enum, because a release may add codes; `x-extensible-enum` lists the current ones. */
export const messageErrorCode = z
  .string()
  .check(z.meta({ 'x-extensible-enum': Object.keys(messageErrorCodes) }));

const acceptedFields = {
  message_id: idOf('msg'),
  status: z.enum(['queued', 'scheduled']),
  channel,
  recipient,
  reference,
  scheduled_at: described(
    z.exactOptional(instant),
    'When the message will be sent; absent if it is sent immediately.',
  ),
  created_at: instant,
};

export const ucs2Fields = z.object({
  characters: described(
    z.array(
      z.object({
        character: described(z.string(), 'The character.'),
        code: described(z.string(), 'Its code point, such as `U+2019`.'),
        position: described(count, 'Its place in the text as it is sent, counted in code points from 0.'),
        replacement: described(
          z.nullable(z.string()),
          'The text with which `smart_encoding` replaces it; null if it replaces only other characters.',
        ),
      }),
    ),
    `The first ${shownCharacters} characters outside GSM-7.`,
  ),
  more: described(count, 'The number of further characters outside GSM-7.'),
  gsm7_segments: described(
    z.nullable(segments),
    'The segments of the text with all replacements; null if it is then not GSM-7.',
  ),
});

const ucs2 = described(
  z.exactOptional(ucs2Fields),
  'What makes the text UCS-2, and what it would need without; absent for GSM-7.',
);

export const acceptedSms = z.object({
  ...acceptedFields,
  channel: z.literal('sms'),
  encoding,
  segments,
  ucs2,
});
export const acceptedWhatsApp = z.object({
  ...acceptedFields,
  channel: z.literal('whatsapp'),
  recipient_type: recipientType,
});

const acceptedBatch = z.object({
  batch_id: idOf('bat'),
  status: described(z.literal('accepted'), 'Always `accepted`. Each message has a state of its own.'),
  total: count,
  accepted: count,
  rejected: count,
  expected_end_at: described(
    z.exactOptional(instant),
    'Only if a sender has a pace (`messages_per_second`): when the last message is expected to be handed over to the carrier. Messages that are sent first, such as one-time passwords, delay this time; the status of the batch shows the current estimate.',
  ),
  messages: described(
    z.array(
      z.object({
        index: count,
        message_id: idOf('msg'),
        recipient,
        status: z.enum(['queued', 'scheduled']),
        encoding,
        segments,
        ucs2,
        reference,
      }),
    ),
    'The recipients that were accepted, each with its message.',
  ),
  errors: described(z.array(rowError), 'The recipients that were refused, each with the reason.'),
});

const fallbackLeg = z.object({
  channel,
  after_seconds: described(
    z.nullable(z.int()),
    'As in the request; null if the leg starts only after a failure or the end of the validity period.',
  ),
  message_id: described(z.nullable(idOf('msg')), 'The message of the leg; null until the leg has started.'),
  status: described(z.nullable(status), 'The state of the leg; null until the leg has started.'),
});

export const messageStatus = z.object({
  message_id: idOf('msg'),
  client_id: z.string(),
  mode: testMode,
  channel,
  status,
  recipient,
  recipient_type: recipientType,
  from: described(
    z.nullable(z.string()),
    'The sender that the request named, or that the gateway selected; null if the carrier selects it.',
  ),
  from_type: fromType,
  type: described(z.enum(messageTypes), '`transactional` or `promotional`.'),
  reference,
  encoding: z.exactOptional(z.nullable(encoding)),
  segments: z.exactOptional(z.nullable(segments)),
  cost: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  error: described(
    z.nullable(
      z.object({
        code: described(
          messageErrorCode,
          'One of the message error codes, or one that a later release adds.',
        ),
        message: described(z.nullable(z.string()), 'A sentence for a developer.'),
      }),
    ),
    'Why the message failed or expired; null otherwise.',
  ),
  created_at: instant,
  scheduled_at: described(
    z.nullable(instant),
    'When the message is to be sent; null if it was sent immediately.',
  ),
  sent_at: described(z.nullable(instant), 'When the carrier accepted the message; null until then.'),
  delivered_at: z.nullable(instant),
  read_at: described(z.nullable(instant), 'When the recipient read the message (WhatsApp); null until then.'),
  expires_at: described(
    instant,
    'The end of the validity period. If no final receipt has arrived by then, the message becomes `expired`.',
  ),
  history: described(
    z.array(
      z.object({
        status: described(status, 'The state.'),
        at: described(instant, 'When the message entered the state.'),
      }),
    ),
    'The states that the message entered, in order.',
  ),
  delivered_by: described(
    z.exactOptional(z.enum(['rcs'])),
    '`rcs` if an SMS reached the recipient by RCS; absent otherwise.',
  ),
  carrier: described(
    z.exactOptional(z.string()),
    'The carrier that reported about the message, or else the carrier of the last attempt; absent before the first attempt. The operator can look up the id that the carrier gave the message.',
  ),
  attempts: described(
    z.exactOptional(
      z.array(
        z.object({
          carrier: described(z.string(), 'The carrier that was asked.'),
          at: described(instant, 'When it was asked.'),
          outcome: described(
            z.enum(attemptOutcomes),
            '`unknown`: the response was lost, and the carrier may have the message.',
          ),
        }),
      ),
    ),
    'The attempts to hand the message over, newest last: the newest of each carrier, and all that may have reached the recipient.',
  ),
  possible_duplicate: described(
    z.exactOptional(z.boolean()),
    'True if the message was sent again although a carrier may already have had it, so that the recipient may get it twice.',
  ),
  window_expires_at: described(
    z.exactOptional(z.nullable(instant)),
    `The end of the time in which any WhatsApp message can be sent to this recipient: ${windowHours} hours after their last message; null if only templates are delivered. Only in the response about a single message.`,
  ),
  fallback_of: z.exactOptional(idOf('msg')),
  fallback: described(
    z.exactOptional(z.array(fallbackLeg)),
    'The messages that follow, in order, if this one is not delivered. Only in the response about the first message of a send with `fallback`.',
  ),
  // The direction, only for inbound messages: `from` is the recipient who wrote, `recipient` is our number.
  direction: described(
    z.exactOptional(z.literal('inbound')),
    '`inbound` for a message from a recipient: `from` is their number, `recipient` is our number.',
  ),
  text: described(z.exactOptional(z.string()), 'The text of an inbound message.'),
  whatsapp: described(
    z.exactOptional(z.lazy(receivedContent)),
    'The content of an inbound WhatsApp message that is not text.',
  ),
  received_at: z.exactOptional(instant),
  in_reply_to: z.exactOptional(idOf('msg')),
});

export const batchStatus = z.object({
  batch_id: idOf('bat'),
  mode: testMode,
  total: count,
  accepted: count,
  rejected: count,
  counts: described(
    z.partialRecord(status, count),
    'The number of accepted messages in each state; empty states are omitted.',
  ),
  expected_end_at: described(
    z.exactOptional(instant),
    'Only while messages of a sender with a pace (`messages_per_second`) wait: when the last of them is expected to be handed over to the carrier, including messages that have gone first so far.',
  ),
  created_at: instant,
});

/**
 * The response of `getMessageStatus`, whose path takes the id of a message or a batch. One schema contains the fields of
 * both, because clients of openapi-generator for Java cannot tell two schemas apart; a rule in the document says which
 * fields belong together.
 */
const messageOrBatch = z.extend(z.partial(z.extend(messageStatus, batchStatus.shape)), {
  created_at: instant,
});

const messageList = z.object({
  messages: described(z.array(messageStatus), 'The messages.'),
  next_cursor: z.exactOptional(z.string()),
});

export type AcceptedBatch = z.output<typeof acceptedBatch>;
export type MessageStatus = z.output<typeof messageStatus>;
export type MessagePage = z.output<typeof messageList>;

export const messageResponses = {
  AcceptedSms: acceptedSms,
  AcceptedWhatsapp: acceptedWhatsApp,
  AcceptedBatch: acceptedBatch,
  Message: messageStatus,
  Batch: batchStatus,
  MessageOrBatch: messageOrBatch,
  MessageList: messageList,
} as const;

const testOutboxMessage = z.object({
  message_id: idOf('msg'),
  channel,
  to: described(recipient, 'The recipient.'),
  from: described(z.nullable(z.string()), 'The sender; null if the carrier would choose it.'),
  body: described(
    z.string(),
    'The text as the recipient would read it, with the code of a one-time password; other WhatsApp content as JSON.',
  ),
  at: described(instant, 'The time of the hand-over to the simulated carrier.'),
});

export const testOutbox = z.object({
  messages: described(z.array(testOutboxMessage), 'The messages of the last 24 hours, newest first.'),
  next_cursor: z.exactOptional(z.string()),
});

export const testOutboxResponses = {
  TestOutboxMessage: testOutboxMessage,
  TestOutbox: testOutbox,
} as const;

const suppression = z.object({
  recipient,
  recipient_type: recipientType,
  scope: z.enum(scopes),
  reason: described(z.nullable(z.string()), 'The reason for the suppression, as a text.'),
  source: z.enum(sources),
  created_at: instant,
  updated_at: described(instant, 'When the suppression was last changed.'),
});

const suppressionList = z.object({
  suppressions: described(z.array(suppression), 'The suppressed recipients, by number.'),
  next_cursor: z.exactOptional(z.string()),
});

export const removedSuppression = z.object({
  recipient,
  recipient_type: recipientType,
  deleted: z.boolean(),
  still_suppressed_from: described(
    z.exactOptional(z.string()),
    'A sender to which the recipient answered STOP. Messages from this sender still fail, until the recipient writes START to it or an administrator ends the suppression.',
  ),
});

export type SuppressionView = z.output<typeof suppression>;
export type SuppressionList = z.output<typeof suppressionList>;
export const suppressionResponses = {
  Suppression: suppression,
  SuppressionList: suppressionList,
  DeletedSuppression: removedSuppression,
} as const;
