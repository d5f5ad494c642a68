/** Deliveries as an administrator looks them up. */
import type { Delivery } from './delivery.ts';

export interface DeliveryReader {
  /** Those that there are, in no order; at most 100 ids. */
  getMany(deliveryIds: readonly string[]): Promise<readonly Delivery[]>;
}
