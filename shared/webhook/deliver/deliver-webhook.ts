/**
 * Delivers one webhook when its queue message arrives. No webhook is lost. None is posted twice, unless a worker dies
 * between the first byte of a POST and the write of its outcome, which no sender can prevent.
 *
 * The queue message of a new delivery contains the whole delivery; the claim of its first attempt creates the row. If
 * the row exists already, the row is used and the copy in the message is ignored.
 *
 * A worker may die at any line. The numbers mark lines of the three steps:
 *   before 3  nothing is written: SQS shows the queue message again.
 *   at 2      the message may be sent twice: the second one finds no attempt that is due.
 *   3 to 4    a dead worker holds the claim: after the lease the queue message, or the sweep, repeats the attempt.
 *   4 to 5    as above, and the endpoint may receive the POST twice, with the same `webhook-id`.
 *   5 to 6, 7 the outcome is in the row: the queue message finds `retry_scheduled` and schedules the retry (2), or finds
 *             `failed` with a pending alert and sends it (7).
 *   after     the delivery is complete; the queue message, if shown again, finds nothing to do.
 * If the client deleted or disabled the endpoint meanwhile, step 4 is left out and the delivery has failed. If no secret
 * can sign, because its row is missing or a person made it invalid, step 4 is left out and the attempt has failed.
 * If SQS or EventBridge Scheduler loses a message, the sweep finds the delivery in the due-item index, which lists it
 * until it is finished.
 */
import { signingSecrets } from '../../client/webhook-secrets.ts';
import { log } from '../../platform/log.ts';
import { retry } from '../../platform/retry.ts';
import type { Attempt } from '../attempt.ts';
import { type LaneDependencies, recordResponseTime, releaseTrial } from '../choose-lane.ts';
import { acknowledged, afterFailure, type Delivery, interruptionsMax, type Lane } from '../delivery.ts';
import type { DeliveryMessage } from '../delivery-queue.sqs.ts';
import { clientOriginOf } from '../endpoint-health.ts';
import { alertFailure, enterFailure, logFieldsOf } from './alert-failure.ts';
import {
  type DeliverDependencies,
  type DeliverSettings,
  type NotClaimed,
  prepareAttempt,
} from './claim-attempt.ts';
import { countResult, reportDisabled } from './disable-endpoint.ts';
import { interruptedAttempt, postAttempt, unsignedAttempt, withdrawnAttempt } from './post-attempt.ts';

export type Outcome = NotClaimed | Recorded;

export async function deliver(
  dependencies: DeliverDependencies,
  settings: DeliverSettings,
  message: DeliveryMessage,
): Promise<Outcome> {
  const prepared = await prepareAttempt(dependencies, settings.lane, message); // 1 to 3
  if (prepared.kind !== 'claimed') return prepared;
  const { delivery, endpoint, trial, withdrawn } = prepared;
  try {
    if (withdrawn !== undefined) {
      if (endpoint?.notice_pending) await reportDisabled(dependencies, endpoint);
      const attempt = withdrawnAttempt(delivery, withdrawn, dependencies.clock());
      return await recordOutcome(dependencies, delivery, attempt, settings.timeScale);
    }
    if (delivery.interruptions >= interruptionsMax) {
      const interrupted = interruptedAttempt(delivery, dependencies.clock());
      return await recordOutcome(dependencies, delivery, interrupted, settings.timeScale);
    }
    if (signingSecrets(prepared.secrets, dependencies.clock()).length === 0) {
      const unsigned = unsignedAttempt(delivery, dependencies.clock());
      return await recordOutcome(dependencies, delivery, unsigned, settings.timeScale);
    }
    const attempt = await postAttempt(dependencies, settings, prepared); // 4
    const outcome = await recordOutcome(dependencies, delivery, attempt, settings.timeScale); // 5 to 7
    if (endpoint !== undefined && outcome.kind !== 'lost_race')
      await orWarn(dependencies, countResult(dependencies, endpoint, attempt));
    await recordResponseTime(dependencies, clientOriginOf(delivery), attempt.total_ms);
    return outcome;
  } finally {
    await releaseTrial(dependencies, trial);
  }
}

/** The outcome is stored already: what fails here delays no delivery. */
async function orWarn({ warn }: LaneDependencies, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    warn('the result of an attempt could not be counted for its endpoint', error);
  }
}

/** The last step of a delivery: writes the outcome of the attempt, then schedules the retry or sends the alert. */
export type Recorded =
  | { readonly kind: 'lost_race' }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/** The retries, with the SDK's own, take about as long as the worker has left (shared/contract/times.ts). */
const writeRetryDelaysMs = [100, 400, 1600, 3200];

async function recordOutcome(
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
  const isEntered = delivery.state === 'failed' && (await tryEnterFailure(dependencies, delivery));
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
    await alertFailure(dependencies, delivery, isEntered); // 7
    return { kind: 'failed', delivery, attempt };
  }
  await retryScheduler.schedule(delivery, clock()); // 6
  return { kind: 'retry_scheduled', delivery, attempt };
}

/** The log must not hold up the outcome: without it, the POST would be repeated. The alert then writes the entry. */
async function tryEnterFailure(dependencies: DeliverDependencies, delivery: Delivery): Promise<boolean> {
  try {
    await enterFailure(dependencies, delivery);
    return true;
  } catch (error) {
    dependencies.warn('the failure of a webhook could not be entered in the activity log yet', error);
    return false;
  }
}

/** The log lines of the delivery worker: one for each queue message, and one for each delivery that failed. */
export function logOutcome(message: DeliveryMessage, lane: Lane, outcome: Outcome): void {
  log.info('webhook', {
    delivery_id: message.delivery_id,
    swept: message.swept,
    lane,
    outcome: outcome.kind,
    ...('delivery' in outcome ? logFieldsOf(outcome.delivery) : {}),
    ...('attempt' in outcome
      ? {
          attempt: outcome.attempt.number,
          trigger: outcome.attempt.trigger,
          lateness_ms: outcome.attempt.lateness_ms,
          total_ms: outcome.attempt.total_ms,
          status: outcome.attempt.status,
          error: outcome.attempt.error,
          next_due_at: outcome.attempt.next_due_at,
        }
      : {}),
  });
}
