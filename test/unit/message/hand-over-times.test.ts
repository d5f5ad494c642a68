import { describe, expect, it } from '@jest/globals';
import { visibilityRuns } from '../../../lib/constructs/gateway-queue.ts';
import * as times from '../../../shared/contract/times.ts';

describe('the times of a hand-over', () => {
  it('leave 4 s for the reads before the carrier takes a message and the writes after', () => {
    const untilTaken = times.slotWaitSecondsMax + times.carrierSecondsMax;
    expect(times.dispatchTimeoutSeconds - untilTaken).toBeGreaterThanOrEqual(4);
  });

  it('end the worker before its claim, so that no two hand over one message at once', () => {
    expect(times.dispatchTimeoutSeconds + 1).toBeLessThan(times.claimSeconds);
  });

  it("show a dead worker's message after its claim", () => {
    expect(times.claimSeconds).toBeLessThan(visibilityRuns * times.dispatchTimeoutSeconds);
  });
});
