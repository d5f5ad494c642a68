/**
 * Delivers one webhook when its queue message comes: nothing is lost, and nothing posted twice but by a death of the
 * worker between the first byte of a POST and the record of its outcome, which no sender can rule out.
 *
 * A new delivery comes whole in its queue message, and its row is made by the claim of its first attempt. Should another
 * have made the row, the queue message is one of many, and the row decides.
 *
 * Why a worker may die at any line (1–7 below):
 *   before 3  nothing was written: the queue message comes again.
 *   at 2      the wake may be arranged twice: whichever comes second finds nothing due.
 *   3 to 4    the row is held by a dead worker: once the lease is over the queue message, or the sweep, tries again.
 *   4 to 5    the POST itself: as above, and the receiver may see it twice, under the same `webhook-id`.
 *   5 to 6    the outcome is in the row: the queue message finds `retry_scheduled` and arranges the wake (2), or
 *             finds `failed` with its alert pending and raises it (7).
 *   after 6   everything is done; the queue message, should it come again, finds nothing to do.
 * And should SQS or the scheduler lose a message altogether, the delivery stands in the agenda until it is finished.
 */
import type { WebhookSecrets } from '../../client/webhook-secrets.ts';
import { retry } from '../../platform/retry.ts';
import type { Attempt, Delivery, Lane } from '../delivery.ts';
import {
  acknowledged,
  afterFailure,
  claimed,
  dueNow,
  interruptionsMax,
  nextStep,
} from '../delivery-transitions.ts';
import { chooseLane, type LaneChoice, type LaneDependencies } from '../endpoint-health/choose-lane.ts';
import { type Endpoint, endpointOf, healthyWithinMs } from '../endpoint-health/endpoint-health.ts';
import type { Post } from '../post/post-webhook.ts';
import { signatureHeaders } from '../post/signature.ts';
import {
  type DeliveryMessage,
  type DeliveryQueue,
  type RetryScheduler,
  slowLaneBatchWindowSeconds,
} from '../schedule/retry-scheduler.ts';
import { type AlertDependencies, alertFailure } from './alert-failure.ts';
import { attemptOf, interruptedAttempt } from './attempt.ts';

export interface DeliverDependencies extends AlertDependencies, LaneDependencies {
  readonly secrets: WebhookSecrets;
  readonly post: Post;
  readonly queue: DeliveryQueue;
  readonly retryScheduler: RetryScheduler;
}

interface DeliverSettings {
  /** The lane whose queue this worker serves. */
  readonly lane: Lane;
  readonly timeScale: number;
  readonly userAgent: string;
}

/** What became of a queue message, for the worker's log line. */
export type Outcome =
  | { readonly kind: 'unknown' | 'finished' | 'held' | 'lost_race' | 'waiting' | 'moved_to_slow_lane' }
  | { readonly kind: 'alerted'; readonly delivery: Delivery }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/**
 * An early wake up to this long before its time is waited out; a longer one goes back to the queue. A wake is early by
 * the rest of a second, and in the slow lane by the second that a batch may gather.
 */
const longestWaitInWorkerMs = (1 + slowLaneBatchWindowSeconds) * 1000;
/** Between tries to write an outcome: with the SDK's own tries, about 15 s of a lease of 30. */
const outcomeRetryDelaysMs = [100, 400, 1600, 3200];

export async function deliver(
  dependencies: DeliverDependencies,
  settings: DeliverSettings,
  message: DeliveryMessage,
): Promise<Outcome> {
  const seen =
    message.delivery === undefined
      ? await dependencies.deliveries.get(message.delivery_id) // 1
      : dueNow(message.delivery, dependencies.clock());
  if (seen === undefined) return { kind: 'unknown' };
  const step = nextStep(seen, dependencies.clock());
  if (step.kind === 'nothing') return { kind: step.reason };
  if (step.kind === 'alert') {
    await alertFailure(dependencies, seen); // 7
    return { kind: 'alerted', delivery: seen };
  }
  if (step.kind === 'wait' && step.remainingMs >= longestWaitInWorkerMs) {
    await dependencies.retryScheduler.schedule(seen, dependencies.clock()); // 2
    return { kind: 'waiting' };
  }
  await waitUntil(dependencies, new Date(seen.attempt_due_at));
  if (settings.lane === 'slow') return attempt(dependencies, settings, message, seen);
  const choice: LaneChoice =
    seen.lane === 'slow'
      ? { lane: 'slow' }
      : await chooseLane(dependencies, endpointOf(seen), seen.delivery_id);
  if (choice.lane === 'slow') {
    await dependencies.queue.send('slow', [{ clientId: seen.client_id, message, delaySeconds: 0 }]); // 2
    return { kind: 'moved_to_slow_lane' };
  }
  try {
    return await attempt(dependencies, settings, message, seen);
  } finally {
    const { trial } = choice;
    if (trial !== undefined) await recordHealth(dependencies, () => dependencies.health.releaseTrial(trial));
  }
}

/** Claims the attempt and makes it. */
async function attempt(
  dependencies: DeliverDependencies,
  settings: DeliverSettings,
  message: DeliveryMessage,
  seen: Delivery,
): Promise<Outcome> {
  // Not before the wait: what is signed with is never older than a worker may remember it.
  const secrets = await dependencies.secrets.find(seen.client_id);
  const held = claimed(seen, dependencies.clock(), dependencies.newRevision());
  if (message.delivery === undefined) {
    if (!(await dependencies.deliveries.replace(seen, held))) return { kind: 'lost_race' }; // 3
  } else {
    const row = await dependencies.deliveries.create(held); // 3
    if (row.revision !== held.revision)
      return deliver(dependencies, settings, { ...message, delivery: undefined });
  }
  if (held.interruptions >= interruptionsMax) {
    return recordOutcome(dependencies, settings, held, interruptedAttempt(held, dependencies.clock()));
  }

  const startedAt = dependencies.clock();
  const headers = {
    'content-type': 'application/json',
    'user-agent': settings.userAgent,
    'accept-encoding': 'identity',
    ...signatureHeaders(held.delivery_id, held.body, secrets, startedAt),
  };
  const posting = dependencies.post({ url: held.url, headers, body: held.body }); // 4
  const result = await postAndRecordSlowness(dependencies, settings.lane, endpointOf(held), posting);
  const run = {
    trigger: held.attempt_trigger === 'automatic' && message.swept ? 'sweep' : held.attempt_trigger,
    startedAt,
    endedAt: dependencies.clock(),
    requestHeaders: headers,
    result,
  } as const;
  const outcome = await recordOutcome(dependencies, settings, held, attemptOf(held, run));
  if (result.timings.totalMs < healthyWithinMs) {
    const { totalMs } = result.timings;
    await recordHealth(dependencies, () =>
      dependencies.health.recordHealthy(endpointOf(held), dependencies.clock(), totalMs),
    );
  }
  return outcome;
}

/** Records the outcome in one write, then does what it asks for. */
async function recordOutcome(
  dependencies: DeliverDependencies,
  settings: DeliverSettings,
  held: Delivery,
  attempt: Attempt,
): Promise<Outcome> {
  const delivery =
    attempt.error === undefined
      ? acknowledged(held, attempt, dependencies.newRevision())
      : afterFailure(held, attempt, settings.timeScale, dependencies.newRevision());
  if (!(await replaceWithRetries(dependencies, held, delivery))) return { kind: 'lost_race' }; // 5
  if (delivery.state === 'retry_scheduled')
    await dependencies.retryScheduler.schedule(delivery, dependencies.clock()); // 6
  if (delivery.state === 'failed') await alertFailure(dependencies, delivery); // 7
  return { kind: delivery.state as 'acknowledged' | 'retry_scheduled' | 'failed', delivery, attempt };
}

/**
 * A lost outcome would cost the receiver a second POST, so this one write is tried for as long as the lease allows.
 * It knows its own write again, so trying twice is safe.
 */
function replaceWithRetries(
  dependencies: DeliverDependencies,
  held: Delivery,
  next: Delivery,
): Promise<boolean> {
  const warn = (error: unknown): void =>
    dependencies.warn('the outcome of an attempt could not be written yet', error);
  const retryPolicy = { delaysMs: outcomeRetryDelaysMs, sleep: dependencies.sleep, warn };
  return retry(retryPolicy, () => dependencies.deliveries.replace(held, next));
}

/** Tells of a receiver that hangs while it still does: those behind it need not find out each for itself. */
async function postAndRecordSlowness(
  dependencies: DeliverDependencies,
  lane: Lane,
  endpoint: Endpoint,
  posting: ReturnType<Post>,
): ReturnType<Post> {
  const { health } = dependencies;
  let answered = false;
  let likelySlowRecorded: Promise<void> | undefined;
  const isUnansweredAfter = async (afterMs: number) => {
    await dependencies.sleep(afterMs);
    // A worker that was held up itself reads first what came meanwhile.
    await dependencies.sleep(0);
    return !answered;
  };
  const slowSuspicionMs =
    lane === 'fast' ? health.slowSuspicionMs(endpoint, dependencies.clock()) : healthyWithinMs;
  if (slowSuspicionMs < healthyWithinMs) {
    isUnansweredAfter(slowSuspicionMs).then((still) => {
      if (still)
        likelySlowRecorded = recordHealth(dependencies, () =>
          health.recordLikelySlow(endpoint, dependencies.clock()),
        );
    });
  }
  isUnansweredAfter(healthyWithinMs).then((still) => {
    if (still) recordHealth(dependencies, () => health.recordSlow(endpoint, dependencies.clock()));
  });
  const result = await posting;
  answered = true;
  // What an answer takes back must have been said before.
  await likelySlowRecorded;
  return result;
}

async function recordHealth(dependencies: DeliverDependencies, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (error) {
    dependencies.warn('the health of an endpoint could not be noted', error);
  }
}

/** A timer may fire a little early; an attempt may not. */
async function waitUntil(dependencies: DeliverDependencies, at: Date): Promise<void> {
  for (;;) {
    const remainingMs = at.getTime() - dependencies.clock().getTime();
    if (remainingMs <= 0) return;
    await dependencies.sleep(remainingMs);
  }
}
