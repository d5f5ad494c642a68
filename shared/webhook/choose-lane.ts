/**
 * The lane of each attempt, and how the workers of a lane start and receive. The fast lane is for endpoints that are known
 * to answer quickly, plus one trial request at a time to any other; the slow lane is for the rest. A worker waits at most
 * 300 ms for a decision, so only a trial request can occupy a worker of the fast lane for long.
 *
 * Why: docs/decisions/endpoint-health-and-two-lanes.md
 */

import { receiveFurtherSeconds } from '../contract/webhook-worker-times.ts';
import { addSeconds, type Clock, type Sleep } from '../platform/clock.ts';
import { shardOf } from '../platform/ids.ts';
import type { Delivery, Lane } from './delivery.ts';
import {
  type ClientOrigin,
  clientOriginOf,
  type EndpointHealth,
  healthyWithinMs,
  likelySlowAfterMs,
} from './slow-endpoints.ts';

export interface LaneDependencies {
  readonly health: EndpointHealth;
  readonly trials: TrialSlots;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Logs a failed read or write of the health records. It delays no delivery. */
  readonly warn: (message: string, error: unknown) => void;
}

interface LaneChoice {
  readonly lane: Lane;
  /** The caller releases it after the attempt. */
  readonly trial?: TrialRequest;
}

const pollMs = 50;
/** Attempts that start together in the slow lane also time out together: a start every 10 ms spreads their writes. */
const slowStartIntervalMs = 10;
export const longestStartDelayMs = 500;

/** Returns the lane of a new delivery. A known slow endpoint does not take a worker of the fast lane. */
export async function initialLane(
  dependencies: Pick<LaneDependencies, 'clock' | 'warn'> & {
    readonly health: Pick<EndpointHealth, 'status'>;
  },
  endpoint: ClientOrigin,
): Promise<Lane> {
  try {
    return (await dependencies.health.status(endpoint, dependencies.clock())) === 'slow' ? 'slow' : 'fast';
  } catch (error) {
    dependencies.warn('the health of an endpoint could not be read', error);
    return 'fast';
  }
}

/** Returns the lane of an attempt that is due now. A worker of the slow lane makes every attempt that it receives. */
export async function chooseLane(
  dependencies: LaneDependencies,
  workerLane: Lane,
  delivery: Delivery,
): Promise<LaneChoice> {
  if (workerLane === 'slow' || delivery.lane === 'slow') return { lane: 'slow' };
  const { health, trials, clock } = dependencies;
  const endpoint = clientOriginOf(delivery);
  const giveUpAt = clock().getTime() + likelySlowAfterMs;
  try {
    for (;;) {
      const status = await health.status(endpoint, clock());
      if (status !== 'unknown') return { lane: status === 'healthy' ? 'fast' : 'slow' };
      const taking = await takeTrial(trials, endpoint, delivery.delivery_id, clock());
      if (taking.trial !== undefined) return { lane: 'fast', trial: taking.trial };
      const now = clock().getTime();
      if (now >= giveUpAt || now - taking.takenSince.getTime() >= likelySlowAfterMs) return { lane: 'slow' };
      await dependencies.sleep(pollMs);
    }
  } catch (error) {
    dependencies.warn('the health of an endpoint could not be read', error);
    return { lane: 'fast' };
  }
}

/**
 * Returns how long a worker that waits for endpoints receives further messages itself. The slow lane waits nearly
 * always: workers that started together must not stop together, or nobody would receive for the length of a POST.
 */
export function receiveFurtherMs(lane: Lane, random: number): number {
  const max = receiveFurtherSeconds * 1000;
  return lane === 'fast' ? max : Math.round(max * (0.3 + 0.7 * random));
}

/** Returns how long a worker waits before it starts the message at this position of its batch. */
export function startDelayMs(lane: Lane, position: number, batchSize: number): number {
  if (lane === 'fast') return 0;
  return position * Math.min(slowStartIntervalMs, longestStartDelayMs / batchSize);
}

/**
 * Trial requests: one worker of the fast lane posts to an endpoint of unknown health, to learn if it answers quickly.
 * A client has at most four at a time, so even a thousand new endpoints that hang occupy at most four workers. All
 * workers share the slots.
 */
export interface TrialSlots {
  /** Takes the slot; if another holder has it, returns since when. */
  takeSlot(slot: string, holder: string, now: Date, until: Date): Promise<Date | undefined>;
  freeSlot(slot: string, holder: string): Promise<void>;
}

/** A slot that the holder has taken and must release. */
export interface TrialRequest {
  readonly slot: string;
  readonly holder: string;
}

const trialsPerClient = 4;
/** Longer than the 5 s of a POST and its writes; frees the slot of a dead worker. */
const trialSeconds = 10;

/** Takes a trial request; if another worker has it, returns since when. */
export async function takeTrial(
  slots: TrialSlots,
  endpoint: ClientOrigin,
  holder: string,
  now: Date,
): Promise<{ readonly trial: TrialRequest } | { readonly trial?: undefined; readonly takenSince: Date }> {
  const slot = `${endpoint.clientId}#${shardOf(endpoint.origin, trialsPerClient)}`;
  const takenSince = await slots.takeSlot(slot, holder, now, addSeconds(now, trialSeconds));
  return takenSince === undefined ? { trial: { slot, holder } } : { takenSince };
}

/** Releases the slot. A failure delays no delivery: the slot is free again after `trialSeconds`. */
export async function releaseTrial(
  dependencies: Pick<LaneDependencies, 'trials' | 'warn'>,
  trial: TrialRequest | undefined,
): Promise<void> {
  if (trial === undefined) return;
  const releasing = dependencies.trials.freeSlot(trial.slot, trial.holder);
  await orWarn(dependencies, 'a trial request could not be released', releasing);
}

/** Waits for work beside a delivery. Logs its failure, which must not delay the delivery. */
export async function orWarn(
  { warn }: Pick<LaneDependencies, 'warn'>,
  message: string,
  work: Promise<void>,
): Promise<void> {
  await work.catch((error: unknown) => warn(message, error));
}

const notRecorded = 'the health of an endpoint could not be recorded';

/** Records a slow endpoint while its POST is still running, so that other workers need not find it out themselves. */
export async function recordSlowness<Result>(
  dependencies: LaneDependencies,
  lane: Lane,
  endpoint: ClientOrigin,
  posting: Promise<Result>,
): Promise<Result> {
  const { health, clock, sleep } = dependencies;
  let answered = false;
  let likelySlowRecorded: Promise<void> | undefined;
  const isUnansweredAfter = async (afterMs: number) => {
    await sleep(afterMs);
    // A worker that was paused first reads the answers that arrived in the meantime.
    await sleep(0);
    return !answered;
  };
  const slowSuspicionMs = lane === 'fast' ? health.slowSuspicionMs(endpoint, clock()) : healthyWithinMs;
  if (slowSuspicionMs < healthyWithinMs) {
    isUnansweredAfter(slowSuspicionMs).then((unanswered) => {
      if (unanswered)
        likelySlowRecorded = orWarn(dependencies, notRecorded, health.recordLikelySlow(endpoint, clock()));
    });
  }
  isUnansweredAfter(healthyWithinMs).then((unanswered) => {
    if (unanswered) orWarn(dependencies, notRecorded, health.recordSlow(endpoint, clock()));
  });
  const result = await posting;
  answered = true;
  // `recordHealthy` must come after it.
  await likelySlowRecorded;
  return result;
}

export async function recordResponseTime(
  dependencies: LaneDependencies,
  endpoint: ClientOrigin,
  tookMs: number,
): Promise<void> {
  const { health, clock } = dependencies;
  if (tookMs < healthyWithinMs)
    await orWarn(dependencies, notRecorded, health.recordHealthy(endpoint, clock(), tookMs));
}
