/** Batches in memory, under the conditions of their table. */
import type { Batch, BatchStore } from '../../../shared/message/send/batch.ts';

export function memoryBatchStore(): BatchStore {
  const rows = new Map<string, Batch>();

  function change(batchId: string, by: Partial<Batch>): boolean {
    const batch = rows.get(batchId);
    if (batch === undefined) return false;
    rows.set(batchId, { ...batch, ...by });
    return true;
  }

  return {
    async create(batch) {
      const existing = rows.get(batch.batch_id);
      if (existing !== undefined && existing.stored_by !== batch.stored_by)
        return { created: false, existing };
      if (existing === undefined) rows.set(batch.batch_id, batch);
      return { created: true };
    },
    async get(batchId) {
      return rows.get(batchId);
    },
    async noteKeyUse(batchId, use) {
      return change(batchId, { key_use: use });
    },
    async takeOver(batchId, seen, by) {
      const batch = rows.get(batchId);
      if (batch?.state !== 'storing') return false;
      const asSeen = batch.stored_by === seen.stored_by && batch.storing_until === seen.storing_until;
      return (asSeen || batch.stored_by === by.stored_by) && change(batchId, by);
    },
    async markStored(batchId) {
      change(batchId, { state: 'stored' });
    },
  };
}
