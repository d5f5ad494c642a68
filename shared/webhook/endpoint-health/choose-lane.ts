/**
 * The lane of each attempt, and how the workers of a lane start and receive. The fast lane is for endpoints that are known
 * to answer quickly, plus one trial request at a time to any other; the slow lane is for the rest. A worker waits at most
 * 300 ms for a decision, so only a trial request can occupy a worker of the fast lane for long.
 */
import { receiveFurtherSeconds } from '../../contract/delivery-times.ts';
import type { Clock, Sleep } from '../../platform/clock.ts';
import type { Attempt, Delivery, Lane } from '../delivery.ts';
import {
  type ClientOrigin,
  clientOriginOf,
  type EndpointHealth,
  likelySlowAfterMs,
} from './endpoint-health.ts';
import { type TrialRequest, type TrialSlots, takeTrial } from './trial-requests.ts';

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

/** The lane of a new delivery: an endpoint that is known to be slow needs no worker of the fast lane. */
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

/** The lane of the retry after a failed attempt. */
export function retryLane({ error }: Attempt): Lane {
  return error === 'timeout' ? 'slow' : 'fast';
}

/** The lane of an attempt that is due now. A worker of the slow lane makes every attempt it receives. */
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
 * How long a worker that waits for endpoints receives further messages itself. In the slow lane that is nearly always:
 * workers that started together must not stop together, or for the length of a POST nobody would receive.
 */
export function receiveFurtherMs(lane: Lane, random: number): number {
  const max = receiveFurtherSeconds * 1000;
  return lane === 'fast' ? max : Math.round(max * (0.3 + 0.7 * random));
}

/** How long a worker waits before it starts the message at this position of its batch. */
export function startDelayMs(lane: Lane, position: number, batchSize: number): number {
  if (lane === 'fast') return 0;
  return position * Math.min(slowStartIntervalMs, longestStartDelayMs / batchSize);
}
