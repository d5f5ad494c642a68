/** The schema of the responses about an account (contract, section 5). Functions import only the types. */
import * as z from 'zod/mini';
import { secretActiveAfterSeconds } from '../client/webhook-secrets.dynamo.ts';
import { count, instant, testMode } from '../message/message-response.schema.ts';
import { described } from '../operation/fields.ts';

const limits = z.object({
  per_minute: described(count, 'Requests in a UTC minute.'),
  per_hour: described(count, 'Requests in a UTC hour.'),
  per_day: described(count, 'Requests in a UTC day.'),
});

const account = z.object({
  client_id: z.string(),
  mode: testMode,
  name: described(z.string(), "The client's name."),
  webhook_url: described(
    z.nullable(z.string()),
    'The URL for events of messages whose request has no URL; null if none is set.',
  ),
  smart_encoding: described(
    z.boolean(),
    'True if typographic characters of SMS are replaced, unless a request sets `smart_encoding`.',
  ),
  limits: described(z.record(z.string(), limits), 'The limits that apply to this client, by endpoint.'),
});

export const secretText = z.string().check(z.meta({ pattern: '^whsec_' }));

export const rotation = {
  created_at: instant,
  active_at: described(
    instant,
    `When the new secret starts to sign, at most ${secretActiveAfterSeconds} seconds after its creation. Until then only the old secret signs.`,
  ),
  previous_secret_expires_at: described(
    z.nullable(instant),
    'Until this time, the old secret signs together with the new one.',
  ),
};

const webhookSecret = z.object({
  webhook_secret: described(secretText, 'The new secret. It is shown only in this response.'),
  ...rotation,
});

export type AccountView = z.output<typeof account>;

export const accountResponses = {
  Account: account,
  WebhookSecret: webhookSecret,
} as const;
