/** Deliveries in memory, held to the same conformance suite as the table. */
import type { Delivery } from '../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';

export function memoryDeliveryStore(): DeliveryStore {
  const rows = new Map<string, Delivery>();
  return {
    async create(delivery) {
      if (!rows.has(delivery.delivery_id)) rows.set(delivery.delivery_id, delivery);
    },
    async get(deliveryId) {
      return rows.get(deliveryId);
    },
    async replace(seen, next) {
      const row = rows.get(seen.delivery_id);
      if (row?.revision === next.revision) return true;
      if (row?.revision !== seen.revision) return false;
      rows.set(next.delivery_id, next);
      return true;
    },
    async findOverdue(shard, until, limit) {
      return [...rows.values()]
        .filter((row) => row.due_shard === String(shard) && (row.due_at ?? '~') <= until.toISOString())
        .map((row) => ({ deliveryId: row.delivery_id, dueAt: row.due_at ?? '' }))
        .toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
        .slice(0, limit);
    },
  };
}
