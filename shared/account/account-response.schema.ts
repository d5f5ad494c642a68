/** The form of the answers about an account (contract, section 5). Functions import only the types. */
import * as z from 'zod/mini';
import { count, instant } from '../message/message-response.schema.ts';

const limits = z.object({ per_minute: count, per_hour: count, per_day: count });

export const account = z.object({
  client_id: z.string(),
  name: z.string(),
  webhook_url: z.nullable(z.string()),
  /** By endpoint: `POST /api/v1/sms/send`. */
  limits: z.record(z.string(), limits),
});

export const secretText = z.string().check(z.meta({ pattern: '^whsec_' }));

/** The times of a new webhook secret. */
export const rotation = {
  created_at: instant,
  active_at: instant,
  previous_secret_expires_at: z.nullable(instant),
};

export const webhookSecret = z.object({ webhook_secret: secretText, ...rotation });

export type AccountView = z.output<typeof account>;
