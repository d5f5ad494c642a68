import { describe, expect, it } from '@jest/globals';
import * as times from '../../../shared/contract/webhook-worker-times.ts';
import { longestStartDelayMs } from '../../../shared/webhook/choose-lane.ts';
import { leaseSeconds } from '../../../shared/webhook/delivery.ts';
import { likelySlowAfterMs } from '../../../shared/webhook/slow-endpoints.ts';

/** A receive ends up to a second after the worker's last chance to start it. */
const receiveSeconds = 1;
/** A cold start, and the reads before the claim. */
const startSeconds = 1;

describe('the times of a delivery worker', () => {
  it('leave 8 s for the writes of a message that was received last', () => {
    const untilPosted =
      times.receiveFurtherSeconds +
      receiveSeconds +
      longestStartDelayMs / 1000 +
      times.waitSecondsMax +
      likelySlowAfterMs / 1000 +
      times.postSecondsMax;
    expect(times.workerTimeoutSeconds - untilPosted).toBeGreaterThanOrEqual(8);
  });

  it('end the worker before its lease, so that no two attempt one delivery at once', () => {
    expect(times.workerTimeoutSeconds + 1).toBeLessThan(leaseSeconds);
  });

  it("show a killed worker's message after its lease, and within 35 s", () => {
    const latestClaim = startSeconds + longestStartDelayMs / 1000 + times.waitSecondsMax;
    expect(latestClaim + leaseSeconds).toBeLessThanOrEqual(times.visibilitySeconds);
    expect(times.visibilitySeconds).toBeLessThan(35);
  });

  it('let a worker that waits for a POST receive further messages until it ends', () => {
    expect(times.receiveFurtherSeconds).toBeGreaterThan(times.postSecondsMax + 1);
  });
});
