import type { Description } from '../description.ts';
import { createdAt, example, recipient } from './examples.ts';
import { inPath, inQuery, pageLimit, person } from './parameters.ts';

const recipientInPath = inPath(
  'recipient',
  'The phone number in international format, whose plus may be written `%2B`, or the id of a WhatsApp user.',
  recipient,
  person,
);

const suppression = {
  recipient,
  scope: 'messages',
  reason: 'The recipient answered STOP',
  source: 'keyword',
  created_at: createdAt,
  updated_at: createdAt,
};

export const listSuppressions: Description = {
  summary: 'List suppressed recipients',
  description:
    'Lists the recipients to whom this client’s messages are not sent, sorted by number. A message to such a recipient is accepted, but fails with `recipient_opted_out` before it reaches the carrier.',
  parameters: [
    inQuery('recipient', 'Only this phone number or id.', person, recipient),
    inQuery('limit', 'The maximum number of entries.', pageLimit),
    inQuery('cursor', 'The `next_cursor` of the previous page.', {
      type: 'string',
      format: 'suppression-cursor',
    }),
  ],
  response: {
    description: 'A page of suppressions.',
    schema: 'SuppressionList',
    examples: { list: example('One recipient', { suppressions: [suppression] }) },
  },
};

export const putSuppression: Description = {
  summary: 'Suppress a recipient',
  description:
    'From now on, sends nothing to this recipient. Queued and scheduled messages fail. With the scope `messages`, one-time passwords are still sent. A repeat for the same recipient changes the reason and the scope.',
  parameters: [recipientInPath],
  request: {
    schema: 'SuppressionUpdate',
    optional: true,
    examples: {
      messages: example('All but one-time passwords', { reason: 'Asked by e-mail' }),
      all: example('Everything', { scope: 'all', reason: 'Number of a stranger' }),
    },
  },
  response: {
    description: 'The suppression.',
    schema: 'Suppression',
    examples: {
      suppressed: example('Suppressed by the client', {
        ...suppression,
        reason: 'Asked by e-mail',
        source: 'client',
      }),
    },
  },
  errors: ['concurrent_change'],
};

export const deleteSuppression: Description = {
  summary: 'Send to a recipient again',
  description:
    'Ends your own suppression. Do this only if the recipient asked for messages again. If the recipient sent STOP to a sender, messages from it still fail, and `still_suppressed_from` names this sender. Only a START to that sender, or an administrator, ends this suppression. AWS has its own opt-out list, which this operation does not change.',
  parameters: [recipientInPath],
  response: {
    description: 'The suppression has ended.',
    schema: 'DeletedSuppression',
    examples: {
      deleted: example('Ended', { recipient, deleted: true }),
      stopped: example('Ended, but the recipient sent STOP to a sender', {
        recipient,
        deleted: true,
        still_suppressed_from: '+447418367358',
      }),
    },
  },
  errors: ['not_found', 'concurrent_change'],
};
