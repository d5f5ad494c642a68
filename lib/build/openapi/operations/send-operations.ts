/** The operations that send messages. */
import { invalidRecipientText } from '../../../../shared/contract/errors.ts';
import { recipientAdvice } from '../../../../shared/contract/phone-number.ts';
import type { Message } from '../../../../shared/message/message.ts';
import { bulkRecipientsMax } from '../../../../shared/message/send/bulk-recipients.ts';
import { acceptedView } from '../../../../shared/message/send/send-one.ts';
import type { Description, SuccessResponse } from '../description.ts';
import {
  acceptedDryRun,
  batchId,
  example,
  messageId,
  queuedSms,
  queuedWhatsApp,
  recipient,
} from './examples.ts';

const durable =
  'The response is 202 when the message is durably stored, which is before its delivery. Webhooks and `GET /api/v1/sms/status/{message_id}` report the status of the message.';

/** Returns the response to a single send. */
const stored = (schema: 'AcceptedSms' | 'AcceptedWhatsapp', queued: Message): SuccessResponse => ({
  status: 202,
  description: 'The message is stored and will be sent.',
  schema,
  examples: { queued: example('To be sent now', acceptedView(queued)) },
});

const message = 'Your parcel arrives today.';
const template = { name: 'parcel', language: 'en_GB', parameters: { body: ['Ada', 'today'] } };

export const sendSms: Description = {
  summary: 'Send an SMS',
  description: `Sends one text message. ${durable} A client with a list of senders must name one in \`from\`.`,
  keyed: true,
  request: {
    schema: 'SmsMessage',
    examples: {
      simple: example('A message', { to: recipient, message, reference: 'order-42' }),
      full: example('With a sender, a webhook URL and a validity period', {
        to: recipient,
        message,
        from: 'ACME',
        type: 'transactional',
        webhook_url: 'https://example.com/webhooks/messages',
        validity_period: 3600,
        reference: 'order-42',
      }),
      fallback: example('With a fallback to WhatsApp', {
        to: recipient,
        message,
        fallback: [{ channel: 'whatsapp', after_seconds: 120, template }],
      }),
    },
  },
  dryRun: {
    schema: 'DryRun',
    examples: {
      accepted: example('It would be sent', acceptedDryRun),
      refused: example('It would be refused', {
        ...acceptedDryRun,
        would_be_accepted: false,
        refusals: [{ status: 403, error: 'forbidden', message: 'This client may not use this sender.' }],
      }),
    },
  },
  response: stored('AcceptedSms', queuedSms),
};

const acceptedRow = {
  index: 0,
  message_id: messageId,
  recipient,
  status: 'queued',
  encoding: 'GSM-7',
  segments: 1,
  reference: 'r1',
};
const refusedRow = {
  index: 1,
  to: '+33',
  error: 'invalid_recipient',
  message: `${invalidRecipientText} ${recipientAdvice('+33')}`,
};

export const sendBulkSms: Description = {
  summary: `Send an SMS to up to ${bulkRecipientsMax} recipients`,
  description:
    'Sends one SMS to each recipient. `message` is a template, in which the recipient’s variable replaces `{{name}}`. Invalid rows (number, duplicate, missing variable, too long after rendering) are reported in `errors`, and the others are sent. A client with a list of senders must name one in `from`. The request counts only once towards the rate limit. `GET /api/v1/sms/status/{batch_id}` shows how many messages are in each state.',
  keyed: true,
  request: {
    schema: 'BulkSms',
    examples: {
      template: example('A template with values', {
        message: 'Hello {{name}}, your parcel arrives today.',
        recipients: [
          { to: recipient, variables: { name: 'Ada' }, reference: 'r1' },
          { to: '+447700900124', variables: { name: 'Bob' }, reference: 'r2' },
        ],
      }),
      numbers: example('Bare numbers', {
        message: 'We are open again.',
        recipients: [recipient, '+447700900124'],
      }),
    },
  },
  dryRun: {
    schema: 'DryRunBatch',
    examples: {
      partly: example('One of two would be sent', {
        dry_run: true,
        would_be_accepted: true,
        total: 2,
        accepted: 1,
        rejected: 1,
        segments: 1,
        estimated_cost: 0.0042,
        currency: 'USD',
        messages: [
          { index: 0, recipient, from: 'ACME', encoding: 'GSM-7', segments: 1, estimated_cost: 0.0042 },
        ],
        errors: [refusedRow],
        refusals: [],
        unknown_fields: [],
      }),
    },
  },
  response: {
    status: 202,
    description: 'Every accepted message is stored and will be sent.',
    schema: 'AcceptedBatch',
    examples: {
      partly: example('One of two is refused', {
        batch_id: batchId,
        status: 'accepted',
        total: 2,
        accepted: 1,
        rejected: 1,
        messages: [acceptedRow],
        errors: [refusedRow],
      }),
    },
  },
  errors: ['no_valid_recipients'],
};

export const sendWhatsApp: Description = {
  summary: 'Send a WhatsApp message',
  description: `Sends one WhatsApp message: a text, a template, media or a location, by \`type\` (\`text\` by default). ${durable} A client with a list of senders needs the word \`whatsapp\` in the list.`,
  keyed: true,
  request: {
    schema: 'WhatsappMessage',
    examples: {
      text: example('A text', { to: recipient, type: 'text', message }),
      template: example('A template', {
        to: recipient,
        type: 'template',
        template,
      }),
      image: example('An image', {
        to: recipient,
        type: 'image',
        media: { url: 'https://example.com/map.png', caption: 'The way to us' },
      }),
      location: example('A location', {
        to: recipient,
        type: 'location',
        location: { latitude: 51.5033, longitude: -0.1196, name: 'Shop' },
      }),
      buttons: example('A template with a picture and buttons', {
        to: recipient,
        type: 'template',
        template: {
          name: 'parcel_ready',
          language: 'en_GB',
          parameters: {
            header: { type: 'image', media: { url: 'https://example.com/parcel.jpg' } },
            body: { first_name: 'Ada' },
            buttons: ['order-42', { type: 'copy_code', value: 'SAVE10', index: 1 }],
          },
        },
      }),
      fallback: example('With a fallback to SMS', {
        to: recipient,
        type: 'template',
        template,
        fallback: [{ channel: 'sms', after_seconds: 60, message }],
      }),
    },
  },
  dryRun: {
    schema: 'DryRun',
    examples: {
      accepted: example('It would be sent', {
        dry_run: true,
        would_be_accepted: true,
        channel: 'whatsapp',
        recipient,
        from: null,
        estimated_cost: 0.005,
        currency: 'USD',
        refusals: [],
        unknown_fields: [],
      }),
    },
  },
  response: stored('AcceptedWhatsapp', queuedWhatsApp),
};
