/** The form of the responses about requests to resend many webhooks, for the API document and the types (contract, section 12). */
import * as z from 'zod/mini';
import { count, instant } from '../../message/message-response.schema.ts';
import { described } from '../../operation/described.ts';
import { resendableStates, resendStatuses } from './resend.ts';

export const resendViewSchema = z.object({
  resend_id: described(z.string(), 'The identifier of the resend.'),
  status: described(z.enum(resendStatuses), '`matching`, `sending` or `completed`.'),
  endpoint_id: described(z.nullable(z.string()), 'The endpoint that was asked for; null where none was.'),
  origin: described(z.nullable(z.string()), 'The origin that was asked for; null where none was.'),
  state: described(z.enum(resendableStates), 'Which webhooks are sent again: `failed`, or `acknowledged`.'),
  since: described(instant, 'The first time of an event.'),
  until: described(instant, 'The last time of an event.'),
  matched: described(count, 'How many webhooks were found; it grows while the status is `matching`.'),
  resent: described(count, 'How many of them are sent again.'),
  skipped: described(
    count,
    'How many of them were acknowledged, or resent otherwise, before it was their turn.',
  ),
  created_at: described(instant, 'When it was asked for.'),
  completed_at: described(z.nullable(instant), 'When the last was sent again; null before.'),
});
export type ResendView = Readonly<z.output<typeof resendViewSchema>>;

export const requestedResendSchema = z.pick(resendViewSchema, { resend_id: true, matched: true });
