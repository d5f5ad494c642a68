/** What the webhook engine asks of its deliveries table: every write is conditional on the row that was read. */
import type { Delivery } from '../delivery.ts';

export interface DeliveryStore {
  /** Stores a delivery unless its id is taken; the row that now stands. A repeated call finds its own write. */
  create(delivery: Delivery): Promise<Delivery>;
  /** The row as the latest write left it. */
  get(deliveryId: string): Promise<Delivery | undefined>;
  /** Writes `next` if the row is still `seen`; false if somebody was faster. A repeated call finds its own write. */
  replace(seen: Delivery, next: Delivery): Promise<boolean>;
}
