import { describe, expect, it } from '@jest/globals';
import { carrierSecondsMax } from '../../../shared/carrier/choose-carrier.ts';
import {
  claimSeconds,
  handOverTimeoutSeconds,
  handOverVisibilitySeconds,
} from '../../../shared/contract/hand-over-times.ts';
import { paceWaitSecondsMax } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';

describe('the times of a hand-over', () => {
  it('leave 4 s for the reads before the carrier takes a message and the writes after', () => {
    const untilTaken = paceWaitSecondsMax + carrierSecondsMax;
    expect(handOverTimeoutSeconds - untilTaken).toBeGreaterThanOrEqual(4);
  });

  it('end the worker before its claim, so that no two hand over one message at once', () => {
    expect(handOverTimeoutSeconds + 1).toBeLessThan(claimSeconds);
  });

  it("show a dead worker's message after its claim", () => {
    expect(claimSeconds).toBeLessThan(handOverVisibilitySeconds);
  });
});
