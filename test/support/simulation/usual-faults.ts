/** The faults of a long run: few at each call, but all kinds of them, and queues, streams and clocks as AWS has them. */
import { type Fault, randomFaults } from './processes.ts';
import type { WorldOptions } from './world.ts';

const rates: Readonly<Record<Fault, number>> = {
  kill_before: 0.008,
  kill_after: 0.008,
  fail_before: 0.008,
  fail_after: 0.008,
  throttle: 0.008,
  delay: 0.01,
  double: 0.015,
};
/** What happens to the calls that create a schedule: the quota is the account's, and others may use it up. */
const unscheduledShare = 0.3;
const doubledShare = 0.03;
/** SQS loses nothing; the sweep and the expiry are there in case it does. What a carrier reports is reported once. */
const lostShare = 0.01;
const replayedShare = 0.02;
const lateShare = 0.02;
const lateMaxMs = 20_000;
const scheduleLateMaxMs = 60_000;
const skewedShare = 0.2;
/** A run of the sweep makes hundreds of calls; it must get to its end at some time. */
const safeShare = 0.3;

/** @param skewMaxMs - how far a clock may be from the true time */
export function usualFaults(random: () => number, skewMaxMs: number): Omit<WorldOptions, 'startAt'> {
  const usual = randomFaults(random, rates);
  return {
    random,
    fault(call) {
      if (call !== 'schedule' || random() >= unscheduledShare) return usual();
      return random() < 0.5 ? 'throttle' : 'fail_before';
    },
    // As `shared/platform/aws/clients.ts` sets it.
    sdkTries: 3,
    latencyMs: () => 1 + random() * 30,
    safe: () => random() < safeShare,
    skewMs: () => (random() < skewedShare ? Math.round((2 * random() - 1) * skewMaxMs) : 0),
    lateMs(what) {
      if (what === 'scheduler') return random() * scheduleLateMaxMs;
      if (what === 'stream') return random() * 100;
      const usual = random() * (what === 'receipts' ? 4000 : 20);
      return random() < lateShare ? random() * lateMaxMs : usual;
    },
    copies(queue) {
      const drawn = random();
      if (drawn < doubledShare) return 2;
      return drawn > 1 - lostShare && queue !== 'receipts' ? 0 : 1;
    },
    replays: () => random() < replayedShare,
  };
}
