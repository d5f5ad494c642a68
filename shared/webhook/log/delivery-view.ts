/** A delivery as clients and administrators see it. */
import type { Delivery } from '../delivery.ts';
import type { DeliverySummary, DeliveryView } from './delivery-response.schema.ts';

export function deliverySummary(delivery: Delivery): DeliverySummary {
  const last = delivery.attempts.at(-1);
  const finished = delivery.state === 'acknowledged' || delivery.state === 'failed';
  return {
    delivery_id: delivery.delivery_id,
    client_id: delivery.client_id,
    message_id: delivery.message_id ?? null,
    endpoint_id: delivery.endpoint_id ?? null,
    event: delivery.event,
    url: delivery.url,
    state: delivery.state,
    attempts: last?.number ?? 0,
    created_at: delivery.created_at,
    finished_at: delivery.finished_at ?? null,
    next_due_at: finished ? null : delivery.attempt_due_at,
    last_status: last?.status ?? null,
    last_error: last?.error_message ?? last?.error ?? null,
  };
}

/** The failure of its last attempt in a few words: the status, or what prevented a response. */
export function lastErrorOf({ last_status, last_error }: DeliverySummary): string | null {
  return last_status === null ? last_error : `HTTP ${last_status}`;
}

export function deliveryView(delivery: Delivery): DeliveryView {
  return { ...deliverySummary(delivery), body: delivery.body, attempt_log: delivery.attempts };
}
