/** The deployed gateway counts by the machine's clock: what it counts in a window is tested within one such window. */
import { systemClock } from '../../../shared/platform/clock.ts';
import { type Interval, type Period, periodAt } from '../../../shared/usage/period.ts';

/**
 * What `work` returns, where it begins and ends in the same UTC hour, day or month. Where the period ended meanwhile,
 * neither the result nor a failure says anything, and the work is done again: it makes its own clients.
 *
 * @param work - gets the period in which it began
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
