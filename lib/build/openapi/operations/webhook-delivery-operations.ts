/** The operations on the log of the client's webhooks, including resends. */
import { eventNames } from '../../../../shared/contract/webhook-events.ts';
import { textKeptBytes } from '../../../../shared/webhook/attempt-record.ts';
import { deliveryStates } from '../../../../shared/webhook/delivery.ts';
import { sameRequestMinutes } from '../../../../shared/webhook/log/request-resend.ts';
import { resentPerSecond } from '../../../../shared/webhook/log/resend.ts';
import type { Description } from '../description.ts';
import { clientId, createdAt, deliveryId, endpointId, example, messageId } from './examples.ts';
import { dateTime, inPath, inQuery, pageLimit } from './parameters.ts';

const resendId = 'whr_5Y8S1T0HMZRSVXK2QE93DRZ214';

const summary = {
  delivery_id: deliveryId,
  client_id: clientId,
  message_id: messageId,
  endpoint_id: endpointId,
  event: 'sms.delivered',
  url: 'https://example.com/webhooks/delivered',
  state: 'failed',
  attempts: 6,
  created_at: createdAt,
  finished_at: '2026-11-20T17:12:31.000Z',
  next_due_at: null,
  last_status: 503,
  last_error: 'the status is 503',
};

const deliveryIdInPath = inPath(
  'delivery_id',
  'The identifier of the delivery, which is also its `webhook-id` header.',
  deliveryId,
);

export const listWebhookDeliveries: Description = {
  summary: 'List webhooks',
  description:
    'Lists the webhooks to the client’s URLs and endpoints with their states, newest first. A page can be shorter than `limit`, or empty, and still have a `next_cursor`; only the last page has none. A new webhook is listed within seconds.',
  parameters: [
    inQuery('message_id', 'Only of this message.', { type: 'string' }),
    inQuery('endpoint_id', 'Only to this endpoint.', { type: 'string' }),
    inQuery('state', 'Only in this state.', { type: 'string', enum: [...deliveryStates] }),
    inQuery('event', 'Only of this event.', {
      type: 'string',
      enum: [...eventNames],
    }),
    inQuery('since', 'The earliest `created_at`.', dateTime),
    inQuery('until', 'The latest `created_at`, inclusive.', dateTime),
    inQuery(
      'limit',
      `Entries in a page, 1 to ${pageLimit.maximum}; default ${pageLimit.default}.`,
      pageLimit,
    ),
    inQuery('cursor', 'The `next_cursor` of the previous page, with the same query.', {
      type: 'string',
      format: 'delivery-cursor',
    }),
  ],
  response: {
    description: 'A page of the log.',
    schema: 'WebhookDeliveryList',
    examples: {
      failed: example('A page that is not the last', {
        webhook_deliveries: [summary],
        next_cursor: 'YWN0XzAxS0M5VjdSMk44UDRRNlI4UzBUMlY0VzZY',
      }),
    },
  },
  errors: ['not_found'],
};

export const getWebhookDelivery: Description = {
  summary: 'Show a webhook with its attempts',
  description: `Returns one delivery with the body that every attempt posts, and each attempt in full: its times, the address, the duration of each step, the headers, the status, and the first ${textKeptBytes / 1024} KiB of the response.`,
  parameters: [deliveryIdInPath],
  response: {
    description: 'The delivery.',
    schema: 'WebhookDeliveryWithAttempts',
    examples: {
      failed: example('After its first attempt', {
        ...summary,
        state: 'retry_scheduled',
        attempts: 1,
        finished_at: null,
        next_due_at: '2026-11-20T10:00:30.312Z',
        body: '{"event":"sms.delivered","timestamp":"2026-11-20T10:00:00.000Z","data":{}}',
        attempt_log: [
          {
            number: 1,
            trigger: 'automatic',
            due_at: createdAt,
            started_at: '2026-11-20T10:00:00.104Z',
            ended_at: '2026-11-20T10:00:00.312Z',
            lateness_ms: 104,
            dns_ms: 3,
            connect_ms: 21,
            tls_ms: 44,
            first_byte_ms: 138,
            total_ms: 208,
            reused_connection: false,
            address: '203.0.113.7',
            status: 503,
            request_headers: { 'webhook-id': deliveryId },
            response_headers: { 'content-type': 'text/plain' },
            response_body: 'maintenance',
            error: 'not_200',
            error_message: 'the status is 503',
            next_due_at: '2026-11-20T10:00:30.312Z',
          },
        ],
      }),
    },
  },
  errors: ['not_found'],
};

export const resendWebhookDelivery: Description = {
  summary: 'Resend a webhook',
  description:
    'Makes one more attempt now, with the same body and `webhook-id`, even if the webhook was acknowledged. If an attempt is already due, running or scheduled as a retry, no other attempt is added. The new attempt is not retried if it fails.',
  parameters: [deliveryIdInPath],
  response: {
    status: 202,
    description:
      'The attempt is queued. If another attempt was already running, waiting or scheduled, `state` and `next_due_at` show it.',
    schema: 'WebhookDelivery',
    examples: {
      queued: example('Queued', { ...summary, state: 'pending', finished_at: null, next_due_at: createdAt }),
    },
  },
  errors: ['not_found', 'endpoint_disabled'],
};

export const resendWebhookDeliveries: Description = {
  summary: 'Resend many webhooks',
  description: `Makes one more attempt for every webhook that has failed (or, with \`state\`, was acknowledged or skipped) and whose event happened since a time: to one endpoint, to one origin such as \`https://example.com\`, or to all. About ${resentPerSecond} webhooks a second are sent, in addition to new ones. They can arrive in any order. Every webhook that the list shows in this state is included. Webhooks that are acknowledged meanwhile are skipped. If you repeat the request, you get the same \`resend_id\`, and nothing is sent twice. Without \`until\`, this is true until the resend is completed, and for at least ${sameRequestMinutes} minutes.`,
  request: {
    schema: 'WebhookSelection',
    examples: {
      endpoint: example('After an outage of one endpoint', {
        endpoint_id: endpointId,
        since: '2026-11-20T08:00:00.000Z',
      }),
      origin: example('Everything that one server missed in an hour', {
        origin: 'https://example.com',
        since: '2026-11-20T08:00:00.000Z',
        until: '2026-11-20T09:00:00.000Z',
      }),
    },
  },
  response: {
    status: 202,
    description:
      'The resend has begun. `matched` is the number of webhooks found so far. Webhooks beyond about 1,000 are found later.',
    schema: 'QueuedResend',
    examples: { begun: example('Started', { resend_id: resendId, matched: 214 }) },
  },
  errors: ['not_found', 'endpoint_disabled'],
};

const progress = {
  resend_id: resendId,
  status: 'sending',
  endpoint_id: endpointId,
  origin: null,
  state: 'failed',
  since: '2026-11-20T08:00:00.000Z',
  until: createdAt,
  matched: 214,
  resent: 150,
  skipped: 0,
  created_at: createdAt,
  completed_at: null,
};

export const getWebhookResend: Description = {
  summary: 'Show the progress of a resend',
  description:
    'The resend is `matching` while it counts the webhooks. Then it is `sending`, and finally `completed`. The list of webhooks shows which of them were acknowledged.',
  parameters: [inPath('resend_id', 'The identifier of the resend.', resendId)],
  response: {
    description: 'The progress of the resend.',
    schema: 'WebhookResend',
    examples: {
      sending: example('Under way', progress),
    },
  },
  errors: ['not_found'],
};
