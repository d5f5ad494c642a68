/**
 * The state transitions of a delivery. Each is a pure function from one row to the next. The store replaces a row only
 * if it has not changed since it was read, so only one of several workers succeeds.
 */
import { leaseSeconds } from '../contract/delivery-times.ts';
import { retryDelaysSeconds } from '../contract/retry-delays.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import { boundedAttempts } from './attempt-log.ts';
import { type Attempt, type Delivery, deliveryTransitions, isWithdrawn, type Lane } from './delivery.ts';
import { retryLane } from './endpoint-health/choose-lane.ts';

/** How long after the due time the sweep enqueues a delivery. Longer than usual queueing. */
export const sweepGraceSeconds = 90;
/** How long the sweep waits before it enqueues the same delivery again. */
export const sweepPauseSeconds = 300;
/** After this many dead workers the attempt has failed, so that an endpoint cannot kill workers for ever. */
export const interruptionsMax = 3;

export interface NewDelivery {
  readonly delivery_id: string;
  readonly client_id: string;
  readonly message_id?: string | undefined;
  readonly endpoint_id?: string | undefined;
  readonly event: string;
  readonly url: string;
  readonly body: string;
  readonly lane: Lane;
}

export function newDelivery(
  given: NewDelivery,
  now: Date,
  retentionDays: number,
  revision: string,
): Delivery {
  return {
    ...given,
    state: 'pending',
    attempt_number: 1,
    attempt_trigger: 'automatic',
    attempt_due_at: now.toISOString(),
    attempts: [],
    interruptions: 0,
    created_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, retentionDays)),
    revision,
  };
}

/** What a worker does with a delivery, decided by its row and the time only. */
type NextStep =
  | { readonly kind: 'attempt' }
  | { readonly kind: 'wait'; readonly remainingMs: number }
  | { readonly kind: 'alert' }
  | { readonly kind: 'held'; readonly until: Date }
  | { readonly kind: 'nothing' };

export function nextStep(delivery: Delivery, now: Date): NextStep {
  switch (delivery.state) {
    case 'acknowledged':
      return { kind: 'nothing' };
    case 'failed':
      return delivery.alert_pending ? { kind: 'alert' } : { kind: 'nothing' };
    case 'attempting': {
      const until = new Date(delivery.lease_until ?? now);
      return now < until ? { kind: 'held', until } : { kind: 'attempt' };
    }
    case 'pending':
    case 'retry_scheduled': {
      const remainingMs = new Date(delivery.attempt_due_at).getTime() - now.getTime();
      return remainingMs > 0 ? { kind: 'wait', remainingMs } : { kind: 'attempt' };
    }
  }
}

/** When the sweep reviews a delivery whose attempt was not made; undefined if nothing is left to do. */
export function nextReviewAt(delivery: Delivery): Date | undefined {
  switch (delivery.state) {
    case 'acknowledged':
      return undefined;
    case 'failed':
      if (!delivery.alert_pending) return undefined;
      return addSeconds(new Date(delivery.finished_at ?? delivery.attempt_due_at), sweepGraceSeconds);
    case 'attempting':
      return new Date(delivery.lease_until ?? delivery.attempt_due_at);
    case 'pending':
    case 'retry_scheduled':
      return addSeconds(new Date(delivery.attempt_due_at), sweepGraceSeconds);
  }
}

/** A delivery without a row is due now, even if the relay's clock is ahead. */
export function dueNow(delivery: Delivery, now: Date): Delivery {
  return new Date(delivery.attempt_due_at) <= now
    ? delivery
    : { ...delivery, attempt_due_at: now.toISOString() };
}

/** Claims the attempt for one worker. If the previous worker died, it is the same attempt again. */
export function claimed(delivery: Delivery, now: Date, revision: string): Delivery {
  return enter(delivery, {
    state: 'attempting',
    revision,
    interruptions: delivery.interruptions + (delivery.state === 'attempting' ? 1 : 0),
    lease_until: addSeconds(now, leaseSeconds).toISOString(),
  });
}

export function acknowledged(delivery: Delivery, attempt: Attempt, revision: string): Delivery {
  return finished(delivery, attempt, { state: 'acknowledged', revision });
}

/** After a failed attempt: the next retry, or `failed`. A manual resend is a single attempt. */
export function afterFailure(
  delivery: Delivery,
  attempt: Attempt,
  timeScale: number,
  revision: string,
): Delivery {
  const isLast = delivery.attempt_trigger === 'manual' || isWithdrawn(attempt.error);
  const delay = isLast ? undefined : retryDelay(attempt.number, timeScale);
  if (delay === undefined) {
    return finished(delivery, attempt, { state: 'failed', revision, alert_pending: true });
  }
  const dueAt = addSeconds(new Date(attempt.ended_at), delay);
  return enter(withoutLease(delivery), {
    state: 'retry_scheduled',
    revision,
    lane: retryLane(attempt),
    attempt_number: attempt.number + 1,
    attempt_due_at: dueAt.toISOString(),
    attempts: kept(delivery, { ...attempt, next_due_at: dueAt.toISOString() }),
    interruptions: 0,
  });
}

export function alerted(delivery: Delivery, revision: string): Delivery {
  const { alert_pending: _, ...rest } = delivery;
  return bounded({ ...rest, revision });
}

/** One more attempt of a finished delivery, at a person's request. */
export function resendDue(
  delivery: Delivery,
  dueAt: Date,
  revision: string,
  more: Partial<Pick<Delivery, 'lane' | 'resent_by'>> = {},
): Delivery {
  const { finished_at: _, alert_pending: _alert, ...rest } = delivery;
  return enter(rest, {
    ...more,
    state: 'pending',
    revision,
    attempt_number: delivery.attempt_number + 1,
    attempt_trigger: 'manual',
    attempt_due_at: dueAt.toISOString(),
    interruptions: 0,
  });
}

function retryDelay(afterAttempt: number, timeScale: number): number | undefined {
  const delay = retryDelaysSeconds[afterAttempt - 1];
  return delay === undefined ? undefined : Math.ceil(delay / timeScale);
}

/** The fields that a transition sets. */
type Entered = Partial<Delivery> & Pick<Delivery, 'state' | 'revision'>;

function finished(delivery: Delivery, attempt: Attempt, entered: Entered): Delivery {
  const attempts = kept(delivery, attempt);
  return enter(withoutLease(delivery), { ...entered, attempts, finished_at: attempt.ended_at });
}

function enter(from: Delivery, entered: Entered): Delivery {
  if (!deliveryTransitions[entered.state].includes(from.state)) {
    throw new Error(`a delivery cannot become ${entered.state} from ${from.state}`);
  }
  return bounded({ ...from, ...entered });
}

/** Applied at each transition, so that an older row that is too large becomes smaller. */
function bounded(delivery: Delivery): Delivery {
  return { ...delivery, attempts: boundedAttempts(delivery.attempts) };
}

function withoutLease(delivery: Delivery): Delivery {
  const { lease_until: _, ...rest } = delivery;
  return rest;
}

function kept(delivery: Delivery, attempt: Attempt): readonly Attempt[] {
  return [...delivery.attempts, attempt];
}
