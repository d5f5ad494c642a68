/** Reads many deliveries at once, for whoever looks through them. */
import type { ReadOptions } from '../../platform/read-options.ts';
import type { Delivery } from '../delivery.ts';

export interface DeliveryReader {
  /** Those that there are, in no order; at most 100 ids. */
  getMany(deliveryIds: readonly string[], reading?: ReadOptions): Promise<readonly Delivery[]>;
}
