/** What a bulk send asks of the batches table. */
import type { Batch } from './batch.ts';
import type { KeyedStore } from './idempotency.ts';

export interface BatchStore extends KeyedStore<Batch> {
  /** Goes on storing a batch whose earlier request died; false where somebody else was faster, or it is stored. */
  takeOver(batchId: string, seen: Batch, by: Pick<Batch, 'stored_by' | 'storing_until'>): Promise<boolean>;
  /** Notes that every message of the batch is stored. */
  markStored(batchId: string): Promise<void>;
}
