/** The operations on the client's own settings. */

import { previousSecretHours } from '../../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../../shared/client/webhook-secrets.dynamo.ts';
import { policies } from '../../../../shared/contract/rate-limits-and-caps.ts';
import { intervals, usageKeptDays } from '../../../../shared/usage/period.ts';
import { totalOf } from '../../../../shared/usage/read-usage.ts';
import { groupings, periodsMax } from '../../../../shared/usage/usage-query.ts';
import type { Description, SuccessResponse } from '../description.ts';
import { noStore } from '../headers.ts';
import { clientId, example, rotation, secretRotation, webhookSecret } from './examples.ts';
import { dateTime, inQuery } from './parameters.ts';

const { endpoint, perMinute, perHour, perDay } = policies.sms_send;

const shown: SuccessResponse = {
  description: 'The account.',
  schema: 'Account',
  examples: {
    account: example('An account', {
      client_id: clientId,
      name: 'ACME',
      webhook_url: 'https://example.com/webhooks/messages',
      smart_encoding: false,
      limits: { [endpoint]: { per_minute: perMinute, per_hour: perHour, per_day: perDay } },
    }),
  },
};

export const getAccount: Description = {
  summary: 'Show the account',
  description: 'Returns the client’s name, its settings, and the limits that apply to it.',
  response: shown,
};

const groups = groupings.map((name) => `\`${name}\``).join(', ');

/** The attributes of a usage row: 11 delivered messages, one failed message, and a cost in millionths. */
const usageRow = new Map([
  ['s.t.GB.d.m', 11],
  ['s.t.GB.d.s', 13],
  ['s.t.GB.d.USD', 58_800],
  ['s.t.GB.f.m', 1],
  ['s.t.GB.f.s', 1],
]);

export const getUsage: Description = {
  summary: 'Show the usage',
  description: `Returns the number of messages that the client sent, their states, and their cost, by UTC hour, day or month. A message counts in the interval in which it was accepted, even if its state changes later, so \`delivered\` divided by \`messages\` is a rate. Changes are counted within about a minute. Intervals and groups without messages are omitted. Usage is kept for ${usageKeptDays} days.`,
  parameters: [
    inQuery(
      'since',
      'The start, rounded down to an interval; by default the start of the UTC month of `until`.',
      dateTime,
    ),
    inQuery('until', 'The end (exclusive), rounded up to an interval; by default now.', dateTime),
    inQuery(
      'interval',
      `The length of each interval: at most ${periodsMax.hour} hours, ${periodsMax.day} days or ${periodsMax.month} months in one response.`,
      { type: 'string', enum: [...intervals], default: 'day' },
      'day',
    ),
    inQuery(
      'group_by',
      `One or more of ${groups}, separated by commas.`,
      {
        type: 'string',
        // A pattern that permits each value only once.
        pattern: `^(?!.*(${groupings.join('|')}).*\\1)(${groupings.join('|')})(,(${groupings.join('|')}))*$`,
      },
      'channel',
    ),
  ],
  response: {
    description: 'The usage, oldest first.',
    schema: 'Usage',
    examples: {
      days: example('By day and channel', {
        currency: 'USD',
        usage: [
          {
            from: '2026-11-20T00:00:00.000Z',
            to: '2026-11-21T00:00:00.000Z',
            channel: 'sms',
            ...totalOf(usageRow, 'USD'),
          },
        ],
        caps: [
          { cap: 'spend', window: 'day', limit: 100, used: 12.5, resets_at: '2026-11-21T00:00:00.000Z' },
        ],
      }),
    },
  },
};

export const updateAccount: Description = {
  summary: 'Change the settings',
  description:
    'Changes the fields that are given. `webhook_url` is for all messages that have no `webhook_url`; null removes it. A webhook is sent to the URL that is set when its event happens.',
  request: {
    schema: 'AccountUpdate',
    examples: {
      set: example('Set it', { webhook_url: 'https://example.com/webhooks/messages' }),
      remove: example('Remove it', { webhook_url: null }),
      smart: example('Replace typographic characters', { smart_encoding: true }),
    },
  },
  response: shown,
};

export const rotateWebhookSecret: Description = {
  summary: 'Issue a new webhook secret',
  description: `Issues a new secret, which only this response contains. It starts to sign at \`active_at\`, at most ${secretActiveAfterSeconds} seconds later. Until then, only the old secret signs. For ${previousSecretHours} hours after that, or for \`overlap_hours\`, both sign: \`X-Webhook-Signature\` uses the old secret, and \`webhook-signature\` contains one signature for each. After that, only the new secret signs.`,
  request: secretRotation,
  response: {
    description: 'The new secret.',
    headers: noStore,
    schema: 'WebhookSecret',
    examples: { secret: example('A new secret', { webhook_secret: webhookSecret, ...rotation }) },
  },
  errors: ['secret_limit_reached', 'concurrent_change'],
};
