/** The form of the answers about deliveries, for the API document and the types (contract, section 12). */
import * as z from 'zod/mini';
import { count, instant } from '../../message/message-response.schema.ts';
import { attemptSchema, deliveryStates } from '../delivery.ts';

export const deliverySummarySchema = z.object({
  delivery_id: z.string(),
  client_id: z.string(),
  /** Null if the event is not one of a message. */
  message_id: z.nullable(z.string()),
  /** Null for the URL of a message or an account. */
  endpoint_id: z.nullable(z.string()),
  event: z.string(),
  url: z.string(),
  state: z.enum(deliveryStates),
  attempts: count,
  created_at: instant,
  finished_at: z.nullable(instant),
  /** When the next attempt is due; null if none is. */
  next_due_at: z.nullable(instant),
  last_status: z.nullable(z.int()),
  last_error: z.nullable(z.string()),
});
export type DeliverySummary = Readonly<z.output<typeof deliverySummarySchema>>;

export const deliveryViewSchema = z.extend(deliverySummarySchema, {
  /** Sent unchanged with every attempt. */
  body: z.string(),
  attempt_log: z.readonly(z.array(attemptSchema)),
});
export type DeliveryView = Readonly<z.output<typeof deliveryViewSchema>>;

export const deliveryListSchema = z.object({
  webhook_deliveries: z.readonly(z.array(deliverySummarySchema)),
  next_cursor: z.exactOptional(z.string()),
});
export type DeliveryList = Readonly<z.output<typeof deliveryListSchema>>;
