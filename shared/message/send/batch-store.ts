/** The batches table. */
import type { Batch } from './batch.ts';
import type { KeyedStore } from './idempotency.ts';

export interface BatchStore extends KeyedStore<Batch> {
  /** Claims the storing of a batch whose earlier request died; false where another request did, or it is stored. */
  takeOver(batchId: string, seen: Batch, by: Pick<Batch, 'stored_by' | 'storing_until'>): Promise<boolean>;
  /** Notes that every message of the batch is stored. */
  markStored(batchId: string): Promise<void>;
}
