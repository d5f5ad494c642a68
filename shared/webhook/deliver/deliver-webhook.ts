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
 * If the client deleted or disabled the endpoint meanwhile, step 4 is left out and the delivery has failed.
 * If SQS or EventBridge Scheduler loses a message, the sweep finds the delivery in the due-item index, which lists it
 * until it is finished.
 */
import { interruptionsMax } from '../delivery-transitions.ts';
import type { LaneDependencies } from '../endpoint-health/choose-lane.ts';
import { clientOriginOf } from '../endpoint-health/endpoint-health.ts';
import { recordResponseTime } from '../endpoint-health/record-response-time.ts';
import { releaseTrial } from '../endpoint-health/trial-requests.ts';
import type { DeliveryMessage } from '../schedule/delivery-queue.ts';
import { interruptedAttempt, withdrawnAttempt } from './attempt.ts';
import type { DeliverDependencies, DeliverSettings } from './deliver-dependencies.ts';
import { countResult, reportDisabled } from './disable-endpoint.ts';
import { postAttempt } from './post-attempt.ts';
import { type NotClaimed, prepareAttempt } from './prepare-attempt.ts';
import { type Recorded, recordOutcome } from './record-outcome.ts';

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
