/**
 * Delivers one webhook when its queue message arrives. No webhook is lost. None is posted twice, unless a worker dies
 * between the first byte of a POST and the write of its outcome, which no sender can prevent.
 *
 * A worker may die at any line. The numbers mark lines of the three steps, claim (1 to 3), post (4) and record (5 to 7):
 *   before 3  nothing is written: SQS shows the queue message again.
 *   at 2      the message may be sent twice: the second one finds no attempt that is due.
 *   3 to 4    a dead worker holds the claim: after the lease the queue message repeats the attempt.
 *   4 to 5    as above, and the endpoint may receive the POST twice, with the same `webhook-id`.
 *   5 to 6, 7 the outcome is in the row: the queue message finds `retry_scheduled` and schedules the retry (2), or finds
 *             `failed` with a pending alert and sends it (7).
 *   after     the delivery is complete; the queue message, if shown again, finds nothing to do.
 * If the client deleted or disabled the endpoint in the meantime, step 4 is left out and the delivery has failed. If no
 * secret can sign, or an edit made the endpoint's row invalid, step 4 is left out and the attempt has failed.
 * If SQS or EventBridge Scheduler loses a message, the due index finds the delivery, which has a `due_at` until it is finished.
 */
import { signingSecrets, type WebhookSecrets } from '../../client/webhook-secrets.ts';
import { waitSecondsMax } from '../../contract/webhook-worker-times.ts';
import type { Sleep } from '../../platform/clock.ts';
import { retry } from '../../platform/retry.ts';
import type { Attempt, UnpostedError } from '../attempt-record.ts';
import {
  acknowledged,
  afterFailure,
  claimed,
  type Delivery,
  interruptionsMax,
  nextStep,
} from '../delivery.ts';
import type { DeliveryMessage, RetryScheduler, WebhookQueue } from '../delivery-queue.sqs.ts';
import type { DeliveryStore } from '../delivery-store.dynamo.ts';
import type { SlowEndpoints } from '../slow-endpoints.dynamo.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.ts';
import { alertFailure } from './alert-failure.ts';
import {
  type CountedEndpoints,
  countResult,
  countSuccessAgain,
  type DisableDependencies,
} from './disable-endpoint.ts';
import type { Post } from './http-post.ts';
import type { SendToAws } from './send-to-aws.ts';
import { type ClaimedAttempt, postAttempt, unpostedAttempt } from './sign-and-post.ts';

export interface DeliverDependencies extends Omit<DisableDependencies, 'endpoints'> {
  readonly endpoints: CountedEndpoints;
  readonly deliveries: DeliveryStore;
  readonly secrets: WebhookSecrets;
  readonly post: Post;
  readonly sendToAws: SendToAws;
  readonly retryScheduler: RetryScheduler;
  readonly slowEndpoints: SlowEndpoints;
  readonly sleep: Sleep;
  readonly warn: (message: string, error: unknown) => void;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
}

interface DeliverSettings {
  /** The queue of the message. */
  readonly from: WebhookQueue;
  readonly timeScale: number;
}

type Claim = Pick<ClaimedAttempt, 'delivery' | 'secrets'>;

/** The attempt belongs to this worker. */
interface Claimed extends ClaimedAttempt {
  readonly kind: 'claimed';
  /** Why nothing may be posted. */
  readonly unposted: UnpostedError | undefined;
}

/** This queue message leads to no attempt now. */
type NotClaimed =
  | { readonly kind: 'unknown' | 'finished' | 'lost_race' | 'waiting' }
  /**
   * Another worker has this attempt. If that worker is dead, this queue message repeats the attempt after the lease.
   */
  | { readonly kind: 'held'; readonly retryAfterSeconds: number }
  | { readonly kind: 'alerted'; readonly delivery: Delivery };

export type Outcome = NotClaimed | Recorded;

export async function deliver(
  dependencies: DeliverDependencies,
  settings: DeliverSettings,
  message: DeliveryMessage,
): Promise<Outcome> {
  const prepared = await prepareAttempt(dependencies, message); // 1 to 3
  if (prepared.kind !== 'claimed') return prepared;
  const { delivery, endpoint } = prepared;
  const { slowEndpoints, clock, warn } = dependencies;
  const prevented = preventedBy(prepared, clock());
  if (prevented !== undefined) {
    const attempt = unpostedAttempt(delivery, prevented, clock());
    return await recordOutcome(dependencies, delivery, attempt, settings.timeScale);
  }
  const attempt = await postAttempt(dependencies, prepared); // 4
  const outcome = await recordOutcome(dependencies, delivery, attempt, settings.timeScale); // 5 to 7
  await slowEndpoints
    .recordTime(delivery, attempt.total_ms, settings.from === 'retries', clock())
    .catch((error: unknown) => warn('the response time of an endpoint could not be recorded', error));
  if (endpoint !== undefined && outcome.kind !== 'lost_race') {
    const counting = countResult(dependencies, endpoint, attempt);
    // A success that is not counted would disable the endpoint: the queue delivers the message again.
    if (attempt.error === undefined) await counting;
    else await counting.catch((error: unknown) => warn(notCounted, error));
  }
  return outcome;
}

const notCounted = 'the result of an attempt could not be counted for its endpoint';

function preventedBy({ unposted, delivery, secrets }: Claimed, now: Date): UnpostedError | undefined {
  if (unposted !== undefined) return unposted;
  if (delivery.interruptions >= interruptionsMax) return 'reset';
  return signingSecrets(secrets, now).length === 0 ? 'no_secret' : undefined;
}

/** Messages are early by a fraction of a second. */
const longestWaitInWorkerMs = waitSecondsMax * 1000;

/**
 * Prepares the attempt, as the first step: reads the delivery, waits until it is due, and claims the attempt for this
 * worker.
 */
async function prepareAttempt(
  dependencies: DeliverDependencies,
  message: DeliveryMessage,
): Promise<Claimed | NotClaimed> {
  const { deliveries, clock } = dependencies;
  const seen = await deliveries.get(message.delivery_id); // 1
  if (seen === undefined) return { kind: 'unknown' };

  const step = nextStep(seen, clock());
  if (step.kind === 'nothing') {
    await countSuccessAgain(dependencies, seen);
    return { kind: 'finished' };
  }
  if (step.kind === 'held') return { kind: 'held', retryAfterSeconds: secondsUntil(step.until, clock()) };
  if (step.kind === 'alert') {
    await alertFailure(dependencies, seen); // 7
    return { kind: 'alerted', delivery: seen };
  }
  if (step.kind === 'wait' && step.remainingMs >= longestWaitInWorkerMs) {
    await dependencies.retryScheduler.schedule(seen, clock()); // 2
    return { kind: 'waiting' };
  }
  await waitUntil(dependencies, new Date(seen.attempt_due_at));
  const { delivery: current, endpoint, unposted } = await atPresentUrl(dependencies, seen);
  const claim = await claimAttempt(dependencies, current); // 3
  if (claim === undefined) return { kind: 'lost_race' };
  return { kind: 'claimed', ...claim, unposted, endpoint };
}

/**
 * Returns the delivery with its present URL: an endpoint's URL as it is now, the URL of a request or an account as it
 * was at the event.
 */
async function atPresentUrl(
  { endpoints }: DeliverDependencies,
  seen: Delivery,
): Promise<{
  readonly delivery: Delivery;
  readonly endpoint?: WebhookEndpoint;
  readonly unposted?: UnpostedError;
}> {
  if (seen.endpoint_id === undefined) return { delivery: seen };
  const endpoint = await endpoints.get(seen.client_id, seen.endpoint_id);
  if (endpoint === undefined) return { delivery: seen, unposted: 'endpoint_deleted' };
  const delivery = { ...seen, url: endpoint.url };
  return { delivery, endpoint, ...(endpoint.enabled ? {} : { unposted: 'endpoint_disabled' }) };
}

async function claimAttempt(dependencies: DeliverDependencies, seen: Delivery): Promise<Claim | undefined> {
  const { deliveries, clock, newRevision } = dependencies;
  // The secrets are read after the wait, so that none is older than the cache allows.
  const signing = await dependencies.secrets.find(seen.client_id, seen.endpoint_id);
  const delivery = claimed(seen, clock(), newRevision());
  return (await deliveries.replace(seen, delivery)) ? { delivery, secrets: signing } : undefined;
}

/** Returns whole seconds, and one more for a clock that is a little ahead. */
function secondsUntil(at: Date, now: Date): number {
  return Math.ceil((at.getTime() - now.getTime()) / 1000) + 1;
}

/** Waits until the time. A timer may fire a little early, but an attempt must not start early. */
async function waitUntil({ clock, sleep }: DeliverDependencies, at: Date): Promise<void> {
  for (;;) {
    const remainingMs = at.getTime() - clock().getTime();
    if (remainingMs <= 0) return;
    await sleep(remainingMs);
  }
}

/** The last step writes the outcome of the attempt, then schedules the retry or sends the alert. */
type Recorded =
  | { readonly kind: 'lost_race' }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/** The retries, with the SDK's own, take about as long as the worker has left (shared/contract/webhook-worker-times.ts). */
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
  // If the outcome were lost, the POST would be repeated, so the write is retried. Repeating it is safe.
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
