/** Judges whether a sender's bulk kept its pace while other messages went in between. */
import { quantile } from '../../bench/figures.ts';

/** Times in milliseconds since the epoch. */
export interface PacedRun {
  readonly perSecond: number;
  /** When the first bulk request was made. */
  readonly beganMs: number;
  /** When the messages were handed over. */
  readonly bulkMs: readonly number[];
  readonly otpMs: readonly number[];
  /** From the request to the hand-over. */
  readonly otpWaitsMs: readonly number[];
  /** The same waits for another client. */
  readonly singleWaitsMs: readonly number[];
  /** From the response to the last bulk request. */
  readonly expectedEndMs: number;
  /** The latest of all batches' statuses when half of the time was over. */
  readonly expectedEndAtHalfMs: number;
  /** Messages that workers had, every two seconds. */
  readonly inFlight: readonly number[];
}

const limits = { otpMs: 2000, singleMs: 3000, pace: 0.02, expectedEnd: 0.05, inFlightGrowth: 0.2 };

/** Returns what was not kept. */
export function brokenPacing(run: PacedRun): readonly string[] {
  const { perSecond, beganMs, bulkMs, otpMs, otpWaitsMs, singleWaitsMs } = run;
  const ofSender = [...bulkMs, ...otpMs];
  const counts = [...Map.groupBy(ofSender, (time) => Math.floor(time / 1000)).values()];
  const most = counts.reduce((sum, { length }) => Math.max(sum, length), 0);
  const [first, last] = [quantile(bulkMs, 0), quantile(bulkMs, 1)];
  const during = ofSender.filter((time) => time >= first && time <= last).length;
  const pace = during / ((last - first) / 1000 + 1) / perSecond - 1;
  const errorOf = (expectedMs: number) => (last - expectedMs) / (last - beganMs);
  // In a short run the one-time passwords that went before are a large part of all messages.
  const endErrorAlone = errorOf(run.expectedEndMs + (otpMs.length * 1000) / perSecond);
  const endErrorAtHalf = errorOf(run.expectedEndAtHalfMs);
  // While the bulk runs: without the first seconds and the last.
  const steady = run.inFlight.slice(3, -3);
  const [early, late] = [steady.slice(0, steady.length / 2), steady.slice(steady.length / 2)].map(mean);
  const met: readonly (readonly [boolean, string])[] = [
    [quantile(otpWaitsMs, 0.99) <= limits.otpMs, 'one-time passwords waited too long'],
    [quantile(singleWaitsMs, 0.99) <= limits.singleMs, 'single sends waited too long'],
    [most <= perSecond, 'a second had more than the pace'],
    [Math.abs(pace) <= limits.pace, 'the pace was not kept'],
    [Math.abs(endErrorAlone) <= limits.expectedEnd, 'expected_end_at was wrong'],
    [Math.abs(endErrorAtHalf) <= limits.expectedEnd, 'expected_end_at of the status was wrong'],
    [(late ?? 0) <= (early ?? 0) * (1 + limits.inFlightGrowth) + 2, 'more and more messages were in flight'],
  ];
  return met.flatMap(([isMet, what]) => (isMet ? [] : [what]));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
