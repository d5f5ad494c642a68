/**
 * Who may be posted to in the fast lane: receivers known to be quick, and of the others one probe at a time.
 * Whoever waits here waits 300 ms at most, so a worker of the fast lane is held for long by a probe alone.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Lane } from '../delivery.ts';
import {
  type Endpoint,
  type EndpointHealth,
  likelySlowAfterMs,
  type TrialRequest,
} from './endpoint-health.ts';

export interface LaneDependencies {
  readonly health: EndpointHealth;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** A failure of the health memory: a pity, and no reason to hold a delivery up. */
  readonly warn: (message: string, error: unknown) => void;
}

export interface LaneChoice {
  readonly lane: Lane;
  /** To be given back once the attempt is over. */
  readonly trial?: TrialRequest;
}

const pollMs = 50;

/** @param holder - under which the probe is known: the delivery */
export async function chooseLane(
  dependencies: LaneDependencies,
  endpoint: Endpoint,
  holder: string,
): Promise<LaneChoice> {
  const { health, clock } = dependencies;
  const giveUpAt = clock().getTime() + likelySlowAfterMs;
  try {
    for (;;) {
      const status = await health.status(endpoint, clock());
      if (status !== 'unknown') return { lane: status === 'healthy' ? 'fast' : 'slow' };
      const trial = await health.takeTrial(endpoint, holder, clock());
      if (trial.taken) return { lane: 'fast', trial };
      const now = clock().getTime();
      if (now >= giveUpAt || now - trial.since.getTime() >= likelySlowAfterMs) return { lane: 'slow' };
      await dependencies.sleep(pollMs);
    }
  } catch (error) {
    dependencies.warn('the health of an endpoint could not be read', error);
    return { lane: 'fast' };
  }
}

/** The lane in which a new delivery begins: what is known to hang need not be found out again by the fast one. */
export async function initialLane(
  dependencies: Pick<LaneDependencies, 'clock' | 'warn'> & {
    readonly health: Pick<EndpointHealth, 'status'>;
  },
  endpoint: Endpoint,
): Promise<Lane> {
  try {
    return (await dependencies.health.status(endpoint, dependencies.clock())) === 'slow' ? 'slow' : 'fast';
  } catch (error) {
    dependencies.warn('the health of an endpoint could not be read', error);
    return 'fast';
  }
}
