/** Deliveries in memory, held to the same conformance suite as the table. */
import type { Delivery } from '../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';

export function memoryDeliveryStore(): DeliveryStore {
  const rows = new Map<string, Delivery>();
  /** The sparse index: what the sweep may have to look at. */
  const dueIds = new Set<string>();

  function put(delivery: Delivery): void {
    rows.set(delivery.delivery_id, delivery);
    if (delivery.due_at === undefined) dueIds.delete(delivery.delivery_id);
    else dueIds.add(delivery.delivery_id);
  }

  return {
    async create(delivery) {
      if (!rows.has(delivery.delivery_id)) put(delivery);
    },
    async get(deliveryId) {
      return rows.get(deliveryId);
    },
    async replace(seen, next) {
      const row = rows.get(seen.delivery_id);
      if (row?.revision === next.revision) return true;
      if (row?.revision !== seen.revision) return false;
      put(next);
      return true;
    },
    async findOverdue(shard, until, limit) {
      return [...dueIds]
        .flatMap((id) => rows.get(id) ?? [])
        .filter((row) => row.due_shard === String(shard) && (row.due_at ?? '~') <= until.toISOString())
        .map((row) => ({ deliveryId: row.delivery_id, dueAt: row.due_at ?? '' }))
        .toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
        .slice(0, limit);
    },
  };
}
