/** Reads and writes webhook deliveries. Every write is conditional on the row that was read. */
import type { ReadOptions } from '../../platform/read-options.ts';
import type { Delivery } from '../delivery.ts';

/** Rows with a revision that changes with each write. */
export interface RevisedRows<Row> {
  /** Stores the row unless its id exists; returns the stored row. Repeating the call is safe. */
  create(row: Row): Promise<Row>;
  /** Reads consistently. */
  get(id: string): Promise<Row | undefined>;
  /** Writes `next` if the row is still `seen`; false if another write came first. Repeating the call is safe. */
  replace(seen: Row, next: Row): Promise<boolean>;
}

export interface DeliveryStore extends RevisedRows<Delivery> {
  /** The rows that exist, in any order. */
  getMany(deliveryIds: readonly string[], options?: ReadOptions): Promise<readonly Delivery[]>;
}
