import { describe, expect, it } from '@jest/globals';
import { dispatchTimeoutSeconds } from '../../../lib/capabilities/messaging/outbound-queues.ts';
import { visibilityRuns } from '../../../lib/constructs/gateway-queue.ts';
import { carrierSecondsMax } from '../../../shared/carrier/choose-carrier.ts';
import { claimSeconds } from '../../../shared/message/dispatch/dispatch-message.ts';
import { paceWaitSecondsMax } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';

describe('the times of a hand-over', () => {
  it('leave 4 s for the reads before the carrier takes a message and the writes after', () => {
    const untilTaken = paceWaitSecondsMax + carrierSecondsMax;
    expect(dispatchTimeoutSeconds - untilTaken).toBeGreaterThanOrEqual(4);
  });

  it('end the worker before its claim, so that no two hand over one message at once', () => {
    expect(dispatchTimeoutSeconds + 1).toBeLessThan(claimSeconds);
  });

  it("show a dead worker's message after its claim", () => {
    expect(claimSeconds).toBeLessThan(visibilityRuns * dispatchTimeoutSeconds);
  });
});
