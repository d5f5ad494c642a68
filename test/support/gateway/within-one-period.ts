/** The deployed gateway counts by the machine's clock: what it counts in a window is tested within one such window. */
import { systemClock } from '../../../shared/platform/clock.ts';
import { type Interval, type Period, periodAt } from '../../../shared/usage/period.ts';

/**
 * Returns the result of `work` if it begins and ends in the same UTC hour, day or month. If the period ended meanwhile, a result
 * or a failure means nothing, so the work is repeated. It must create its own clients.
 *
 * @param work - called with the period in which it begins
 */
export async function withinOne<Result>(
  interval: Interval,
  work: (period: Period) => Promise<Result>,
  clock = systemClock,
): Promise<Result> {
  for (;;) {
    const period = periodAt(interval, clock());
    const [outcome] = await Promise.allSettled([work(period)]);
    if (clock() >= period.to) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}
