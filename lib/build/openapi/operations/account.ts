/** The client's own settings. */
import type { Answer, Description } from '../description.ts';
import { clientId, createdAt } from './examples.ts';

const shown: Answer = {
  status: 200,
  description: 'The account.',
  content: {
    schemas: ['Account'],
    examples: {
      account: {
        summary: 'An account',
        value: {
          client_id: clientId,
          name: 'ACME',
          webhook_url: 'https://example.com/webhooks/messages',
          limits: { 'POST /api/v1/sms/send': { per_minute: 60, per_hour: 1000, per_day: 10_000 } },
        },
      },
    },
  },
};

export const getAccount: Description = {
  tag: 'Account',
  summary: 'Show the account',
  description: 'The client’s name, its webhook URL, and the limits in force for it.',
  answer: shown,
};

export const updateAccount: Description = {
  tag: 'Account',
  summary: 'Change the webhook URL',
  description:
    'Sets the webhook URL for all messages without a URL of their own; null removes it. A notification is sent to the URL that is set at the time of its event.',
  request: {
    schema: 'UpdateAccountRequest',
    mediaTypes: ['application/json'],
    examples: {
      set: { summary: 'Set it', value: { webhook_url: 'https://example.com/webhooks/messages' } },
      remove: { summary: 'Remove it', value: { webhook_url: null } },
    },
  },
  answer: shown,
};

export const rotateWebhookSecret: Description = {
  tag: 'Account',
  summary: 'Issue a new webhook secret',
  description:
    'Issues a new secret and shows it once. It signs from `active_at` on, at most 60 seconds later; until then only the old one signs. For the 24 hours after that both sign: `X-Webhook-Signature` uses the old one, `webhook-signature` has a signature for each. Afterwards only the new one signs.',
  answer: {
    status: 200,
    description: 'The new secret.',
    headers: { 'Cache-Control': 'Always `no-store`.' },
    content: {
      schemas: ['NewWebhookSecret'],
      examples: {
        secret: {
          summary: 'A new secret',
          value: {
            webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0dQ3kZ1lYxs=',
            created_at: createdAt,
            active_at: '2026-11-20T10:01:00.000Z',
            previous_secret_expires_at: '2026-11-21T10:01:00.000Z',
          },
        },
      },
    },
  },
};
