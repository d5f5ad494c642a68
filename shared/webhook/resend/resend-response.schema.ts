/** The form of the answers about requests to resend many webhooks, for the API document and the types (contract, section 12). */
import * as z from 'zod/mini';
import { count, instant } from '../../message/message-response.schema.ts';
import { resendableStates, resendStatuses } from './resend.ts';

export const resendViewSchema = z.object({
  resend_id: z.string(),
  status: z.enum(resendStatuses),
  /** What was asked for. */
  endpoint_id: z.nullable(z.string()),
  origin: z.nullable(z.string()),
  state: z.enum(resendableStates),
  since: instant,
  until: instant,
  /** Grows until `status` is no longer `matching`. */
  matched: count,
  resent: count,
  skipped: count,
  created_at: instant,
  completed_at: z.nullable(instant),
});
export type ResendView = Readonly<z.output<typeof resendViewSchema>>;

export const requestedResendSchema = z.pick(resendViewSchema, { resend_id: true, matched: true });
