/** The form of the responses about deliveries, for the API document and the types (contract, section 12). */
import * as z from 'zod/mini';
import { count, instant } from '../../message/message-response.schema.ts';
import { described } from '../../operation/described.ts';
import { attemptSchema, deliveryStates } from '../delivery.ts';

export const deliverySummarySchema = z.object({
  delivery_id: z.string(),
  client_id: z.string(),
  message_id: described(z.nullable(z.string()), 'The message of the event; null if it is of no message.'),
  endpoint_id: described(
    z.nullable(z.string()),
    'The endpoint; null for the URL of the message or the account.',
  ),
  event: z.string(),
  url: described(z.string(), 'Where it was posted last.'),
  state: described(
    z.enum(deliveryStates),
    '`pending`: due, or waiting for a worker. `attempting`: being posted. `retry_scheduled`: failed, with a retry to come. `acknowledged`, `failed`: finished.',
  ),
  attempts: described(count, 'The number of the last attempt; 0 before the first.'),
  created_at: described(instant, 'When the event happened.'),
  finished_at: described(z.nullable(instant), 'When it was acknowledged or failed; null before.'),
  /** When the next attempt is due; null if none is. */
  next_due_at: z.nullable(instant),
  last_status: described(z.nullable(z.int()), 'The status of the last response; null where there was none.'),
  last_error: described(z.nullable(z.string()), 'Why the last attempt failed; null where it did not.'),
});
export type DeliverySummary = Readonly<z.output<typeof deliverySummarySchema>>;

export const deliveryViewSchema = z.extend(deliverySummarySchema, {
  body: described(z.string(), 'The bytes that every attempt posts, as text.'),
  attempt_log: described(z.readonly(z.array(attemptSchema)), 'Every attempt, the first one first.'),
});
export type DeliveryView = Readonly<z.output<typeof deliveryViewSchema>>;

export const deliveryListSchema = z.object({
  webhook_deliveries: described(z.readonly(z.array(deliverySummarySchema)), 'The deliveries.'),
  next_cursor: z.exactOptional(z.string()),
});
export type DeliveryList = Readonly<z.output<typeof deliveryListSchema>>;
