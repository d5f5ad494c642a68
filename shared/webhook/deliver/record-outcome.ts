/** The last step of a delivery: writes the outcome of the attempt, then schedules the retry or sends the alert. */
import { retry } from '../../platform/retry.ts';
import type { Attempt, Delivery } from '../delivery.ts';
import { acknowledged, afterFailure } from '../delivery-transitions.ts';
import { alertFailure } from './alert-failure.ts';
import type { DeliverDependencies } from './deliver-dependencies.ts';

export type Recorded =
  | { readonly kind: 'lost_race' }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/** With the SDK's own retries about as long as the worker has left (shared/contract/delivery-times.ts). */
const writeRetryDelaysMs = [100, 400, 1600, 3200];

export async function recordOutcome(
  dependencies: DeliverDependencies,
  held: Delivery,
  attempt: Attempt,
  timeScale: number,
): Promise<Recorded> {
  const { clock, deliveries, newRevision, retryScheduler, sleep, warn } = dependencies;
  const delivery =
    attempt.error === undefined
      ? acknowledged(held, attempt, newRevision())
      : afterFailure(held, attempt, timeScale, newRevision());
  // Without the outcome the POST would be repeated, so the write is retried. Repeating it is safe.
  const retryPolicy = {
    delaysMs: writeRetryDelaysMs,
    sleep,
    warn: (error: unknown) => warn('the outcome of an attempt could not be written yet', error),
  };
  const written = await retry(retryPolicy, () => deliveries.replace(held, delivery)); // 5
  if (!written) return { kind: 'lost_race' };
  if (attempt.error === undefined) return { kind: 'acknowledged', delivery, attempt };
  if (delivery.state === 'failed') {
    await alertFailure(dependencies, delivery); // 7
    return { kind: 'failed', delivery, attempt };
  }
  await retryScheduler.schedule(delivery, clock()); // 6
  return { kind: 'retry_scheduled', delivery, attempt };
}
