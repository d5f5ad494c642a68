import { statusView } from '../../../../shared/message/message-response.ts';
import { referenceCharactersMax } from '../../../../shared/message/send/send-fields.ts';
import { directions } from '../../../../shared/message/store/message-list.dynamo.ts';
import type { Description } from '../description.ts';
import { referenceTo } from '../named-schemas.ts';
import { batchId, canceledSms, createdAt, deliveredSms, example, messageId } from './examples.ts';
import { dateTime, inPath, inQuery, pageLimit, person } from './parameters.ts';

const idOf = (prefix: string) =>
  ({ type: 'string', pattern: `^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$` }) as const;

export const getMessageStatus: Description = {
  summary: 'Look up a message or a batch',
  description:
    'Returns the status of one message (SMS or WhatsApp, although the path contains `sms`), or how many messages of a batch are in each state.',
  parameters: [
    inPath(
      'message_id',
      'The `message_id` of a message (on any channel), or a `batch_id`.',
      messageId,
      idOf('(msg|bat)'),
    ),
  ],
  response: {
    description: 'The message, or the batch with `batch_id`, `total`, `accepted`, `rejected` and `counts`.',
    schema: 'MessageOrBatch',
    examples: {
      message: example('A message', statusView(deliveredSms)),
      batch: example('A batch', {
        batch_id: batchId,
        total: 1000,
        accepted: 1000,
        rejected: 0,
        counts: { queued: 3, delivered: 997 },
        created_at: createdAt,
      }),
    },
  },
  errors: ['not_found'],
};

const page = [
  inQuery('limit', 'Messages on a page.', pageLimit, 50),
  inQuery('cursor', 'The `next_cursor` of the previous page.', {
    type: 'string',
    format: 'cursor',
    pattern: '^[A-Za-z0-9_-]+$',
  }),
];

export const listMessages: Description = {
  summary: 'List messages',
  description:
    'Returns your messages of every channel, newest first. For the next page, repeat the request with `cursor` set to the `next_cursor` of the response. The last page has none.',
  parameters: [
    inQuery('reference', 'Only messages with this reference.', {
      type: 'string',
      minLength: 1,
      maxLength: referenceCharactersMax,
    }),
    inQuery(
      'to',
      'Only messages to this number or id; with `direction`, also messages from it. A page may be short, because the gateway reads a limited number of messages for each page.',
      person,
    ),
    inQuery('status', 'Only messages in this state.', { $ref: referenceTo('MessageStatus') }),
    inQuery('channel', 'Only messages of this channel.', { $ref: referenceTo('Channel') }, 'sms'),
    inQuery(
      'direction',
      '`inbound` lists messages that recipients sent to the client; `all` lists both directions.',
      {
        type: 'string',
        enum: [...directions],
        default: 'outbound',
      },
    ),
    inQuery('since', 'Only messages created at or after this time.', dateTime),
    inQuery('until', 'Only messages created at or before this time.', dateTime),
    ...page,
  ],
  response: {
    description: 'A page of messages.',
    schema: 'MessageList',
    examples: {
      page: example('The last page', { messages: [statusView(deliveredSms)] }),
    },
  },
};

export const listTestOutbox: Description = {
  summary: 'Read what test keys sent',
  description:
    'Returns the messages that your test keys sent in the last 24 hours, newest first, with the codes of one-time passwords. A live key gets 403.',
  parameters: [inQuery('to', 'Only messages to this number or id.', person, '+447700900123'), ...page],
  response: {
    description: 'A page of messages.',
    schema: 'TestOutbox',
    examples: {
      page: example('A one-time password', {
        messages: [
          {
            message_id: messageId,
            channel: 'sms',
            to: '+447700900123',
            from: null,
            body: 'Your code is 482913. It is valid for 5 minutes.',
            at: createdAt,
          },
        ],
      }),
    },
  },
};

export const cancelMessage: Description = {
  summary: 'Cancel a scheduled message',
  description:
    'Cancels a scheduled message before its time. A repeat changes nothing and gets the same response.',
  parameters: [inPath('message_id', 'The `message_id` in the response to the send.', messageId, idOf('msg'))],
  response: {
    description: 'The canceled message.',
    schema: 'Message',
    examples: {
      canceled: example('Canceled', statusView(canceledSms)),
    },
  },
  errors: ['not_found', 'not_cancelable'],
};
