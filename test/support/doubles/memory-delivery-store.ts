/** Deliveries in memory; passes the same tests as the table. */
import type { Delivery } from '../../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../../shared/webhook/store/delivery-store.ts';

export function memoryDeliveryStore(): DeliveryStore {
  const rows = new Map<string, Delivery>();

  return {
    async create(delivery) {
      const row = rows.get(delivery.delivery_id) ?? delivery;
      rows.set(delivery.delivery_id, row);
      return row;
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
    async getMany(deliveryIds) {
      return deliveryIds.flatMap((id) => rows.get(id) ?? []);
    },
  };
}
