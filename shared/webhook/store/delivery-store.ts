/** Reads and writes webhook deliveries. Every write is conditional on the row that was read. */
import type { ReadOptions } from '../../platform/read-options.ts';
import type { Delivery } from '../delivery.ts';

export interface DeliveryStore {
  /** Stores a delivery unless its id exists; returns the stored row. Repeating the call is safe. */
  create(delivery: Delivery): Promise<Delivery>;
  /** Reads consistently. */
  get(deliveryId: string): Promise<Delivery | undefined>;
  /** The rows that exist, in any order. */
  getMany(deliveryIds: readonly string[], options?: ReadOptions): Promise<readonly Delivery[]>;
  /** Writes `next` if the row is still `seen`; false if another write came first. Repeating the call is safe. */
  replace(seen: Delivery, next: Delivery): Promise<boolean>;
}
