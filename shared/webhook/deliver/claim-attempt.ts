/** The first step of a delivery: reads it, waits until it is due, chooses the lane, and claims the attempt for this worker. */
import type { WebhookSecret, WebhookSecrets } from '../../client/webhook-secrets.ts';
import { waitSecondsMax } from '../../contract/times.ts';
import { isPermanentFault } from '../../platform/aws/permanent-fault.ts';
import type { Attempt, WithdrawnError } from '../attempt.ts';
import { chooseLane, type LaneDependencies, releaseTrial, type TrialRequest } from '../choose-lane.ts';
import { claimed, type Delivery, dueNow, type Lane, nextStep } from '../delivery.ts';
import type { DeliveryMessage, DeliveryQueue, RetryScheduler } from '../delivery-queue.sqs.ts';
import type { DeliveryStore } from '../delivery-store.dynamo.ts';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.ts';
import { type AlertDependencies, alertFailure } from './alert-failure.ts';
import type { DisableDependencies } from './disable-endpoint.ts';
import type { Post } from './http-post.ts';
import type { SendToAws } from './send-to-aws.ts';

/** The dependencies of `deliver` and its three steps. */
export interface DeliverDependencies extends AlertDependencies, LaneDependencies, DisableDependencies {
  readonly deliveries: DeliveryStore;
  readonly health: LaneDependencies['health'];
  readonly secrets: WebhookSecrets;
  readonly post: Post;
  readonly sendToAws: SendToAws;
  readonly queue: DeliveryQueue;
  readonly retryScheduler: RetryScheduler;
}

export interface DeliverSettings {
  /** The lane whose queue this worker serves. */
  readonly lane: Lane;
  readonly timeScale: number;
  readonly userAgent: string;
}

interface Claim {
  readonly delivery: Delivery;
  readonly secrets: readonly WebhookSecret[];
}

/** The attempt belongs to this worker. */
export interface Claimed extends Claim {
  readonly kind: 'claimed';
  readonly trigger: Attempt['trigger'];
  readonly trial: TrialRequest | undefined;
  /** Why nothing may be posted. */
  readonly withdrawn: WithdrawnError | undefined;
  /** The endpoint as it was read before the attempt; absent for the URL of a request or an account. */
  readonly endpoint: WebhookEndpoint | undefined;
}

/** This queue message leads to no attempt now. */
export type NotClaimed =
  | { readonly kind: 'unknown' | 'finished' | 'lost_race' | 'waiting' | 'moved_to_slow_lane' }
  /**
   * Another worker has the attempt, or that of the event before it. If it is dead, this queue message repeats the attempt
   * after the lease.
   */
  | { readonly kind: 'held'; readonly retryAfterSeconds: number }
  | { readonly kind: 'alerted'; readonly delivery: Delivery };

/** Messages are early by a fraction of a second. */
const longestWaitInWorkerMs = waitSecondsMax * 1000;

/** All receives of a message (`receivesMax`) take longer than three leases of dead workers, after which the event before has failed. */
const eventBeforePauseSeconds = 15;

export async function prepareAttempt(
  dependencies: DeliverDependencies,
  workerLane: Lane,
  message: DeliveryMessage,
): Promise<Claimed | NotClaimed> {
  const { deliveries, clock } = dependencies;
  const seen =
    message.delivery === undefined
      ? await deliveries.get(message.delivery_id) // 1
      : dueNow(message.delivery, clock());
  if (seen === undefined) return { kind: 'unknown' };

  const step = nextStep(seen, clock());
  if (step.kind === 'nothing') return { kind: 'finished' };
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
  if (await isEventBeforeOpen(dependencies, seen)) {
    return { kind: 'held', retryAfterSeconds: eventBeforePauseSeconds };
  }

  const { delivery: current, endpoint, withdrawn } = await atPresentUrl(dependencies, seen);
  const { lane, trial } =
    withdrawn === undefined ? await chooseLane(dependencies, workerLane, current) : { lane: workerLane };
  if (lane !== workerLane) {
    await dependencies.queue.send(lane, [{ clientId: seen.client_id, message, delaySeconds: 0 }]); // 2
    return { kind: 'moved_to_slow_lane' };
  }

  let claim: Claim | undefined;
  try {
    claim = await claimAttempt(dependencies, current, message); // 3
  } finally {
    if (claim === undefined) await releaseTrial(dependencies, trial);
  }
  if (claim !== undefined) {
    const { attempt_trigger } = claim.delivery;
    const trigger = attempt_trigger === 'automatic' && message.swept ? 'sweep' : attempt_trigger;
    return { kind: 'claimed', ...claim, trigger, trial, withdrawn, endpoint };
  }
  if (message.delivery === undefined) return { kind: 'lost_race' };
  return prepareAttempt(dependencies, workerLane, { ...message, delivery: undefined });
}

/** Whether the resend of the message's event before this one is not finished, because its worker died or is late. */
async function isEventBeforeOpen({ deliveries }: DeliverDependencies, seen: Delivery): Promise<boolean> {
  const { resent_by, state, attempt_trigger } = seen;
  if (resent_by?.after === undefined || state !== 'pending' || attempt_trigger !== 'manual') return false;
  const before = await deliveries.get(resent_by.after);
  return before?.state === 'pending' || before?.state === 'attempting';
}

/** An endpoint's URL is the one that it has now; the URL of a request or an account is the one of the event. */
async function atPresentUrl(
  { endpoints }: DeliverDependencies,
  seen: Delivery,
): Promise<{
  readonly delivery: Delivery;
  readonly endpoint?: WebhookEndpoint;
  readonly withdrawn?: WithdrawnError;
}> {
  if (seen.endpoint_id === undefined) return { delivery: seen };
  const endpoint = await endpoints.get(seen.client_id, seen.endpoint_id);
  if (endpoint === undefined) return { delivery: seen, withdrawn: 'endpoint_deleted' };
  const delivery = { ...seen, url: endpoint.url };
  return { delivery, endpoint, ...(endpoint.enabled ? {} : { withdrawn: 'endpoint_disabled' }) };
}

async function claimAttempt(
  dependencies: DeliverDependencies,
  seen: Delivery,
  message: DeliveryMessage,
): Promise<Claim | undefined> {
  const { deliveries, clock, newRevision } = dependencies;
  // Read after the wait, so that no secret is older than the cache allows.
  const signing = await secretsFor(dependencies, seen);
  const delivery = claimed(seen, clock(), newRevision());
  const isClaimed =
    message.delivery === undefined
      ? await deliveries.replace(seen, delivery)
      : (await deliveries.create(delivery)).revision === delivery.revision;
  return isClaimed ? { delivery, secrets: signing } : undefined;
}

/** Returns none if a person made their row invalid: then the attempt fails, as it does without a row. */
async function secretsFor(
  { secrets, warn }: DeliverDependencies,
  { client_id, endpoint_id }: Delivery,
): Promise<readonly WebhookSecret[]> {
  try {
    return await secrets.find(client_id, endpoint_id);
  } catch (error) {
    if (!isPermanentFault(error)) throw error;
    warn('the webhook secrets of a client cannot be read', error);
    return [];
  }
}

/** Whole seconds, and one more for a clock that is a little ahead. */
function secondsUntil(at: Date, now: Date): number {
  return Math.ceil((at.getTime() - now.getTime()) / 1000) + 1;
}

/** A timer may fire a little early; an attempt must not start early. */
async function waitUntil({ clock, sleep }: DeliverDependencies, at: Date): Promise<void> {
  for (;;) {
    const remainingMs = at.getTime() - clock().getTime();
    if (remainingMs <= 0) return;
    await sleep(remainingMs);
  }
}
