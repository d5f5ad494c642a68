/** Records how quickly an endpoint answers a POST. A failed write is logged and delays no delivery. */
import type { Lane } from '../delivery.ts';
import type { LaneDependencies } from './choose-lane.ts';
import { type ClientOrigin, healthyWithinMs } from './endpoint-health.ts';

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
        likelySlowRecorded = record(dependencies, () => health.recordLikelySlow(endpoint, clock()));
    });
  }
  isUnansweredAfter(healthyWithinMs).then((unanswered) => {
    if (unanswered) record(dependencies, () => health.recordSlow(endpoint, clock()));
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
    await record(dependencies, () => health.recordHealthy(endpoint, clock(), tookMs));
}

async function record({ warn }: LaneDependencies, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    warn('the health of an endpoint could not be recorded', error);
  }
}
