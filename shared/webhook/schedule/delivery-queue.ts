/** The messages of the two webhook queues, each of which names a delivery that is due. */
import * as z from 'zod/mini';
import { deliverySchema, type Lane } from '../delivery.ts';

/**
 * Everything else is in the delivery's row; a delivery without a row is in the message. `swept` is true if the sweep
 * enqueued it.
 */
export const deliveryMessageSchema = z.object({
  delivery_id: z.string().check(z.minLength(1)),
  delivery: z.optional(deliverySchema),
  swept: z.optional(z.boolean()),
});
export type DeliveryMessage = Readonly<z.output<typeof deliveryMessageSchema>>;

export interface DeliveryEntry {
  readonly clientId: string;
  readonly message: DeliveryMessage;
  /** Whole seconds, at most 900. */
  readonly delaySeconds: number;
}

export interface DeliveryQueue {
  /** @throws if any entry may not be in the queue. */
  send(lane: Lane, entries: readonly DeliveryEntry[]): Promise<void>;
}
