/** The time is always an argument, so that tests can set it. This file also computes with times. */

export type Clock = () => Date;

/** Sleeps for the given time. Outside of tests, this is `setTimeout` of `node:timers/promises`. */
export type Sleep = (ms: number) => Promise<unknown>;

export const systemClock: Clock = () => new Date();

/** Returns the seconds since the epoch, rounded down, for DynamoDB's TTL and `X-RateLimit-Reset`. */
export function epochSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}

export const secondsPerDay = 86_400;

/** The longest `DelaySeconds` of SQS. A message that is due later needs a schedule. */
export const queueDelayMaxSeconds = 900;

/** Returns `at` plus a number of days of 24 hours, which can be negative. */
export function addDays(at: Date, days: number): Date {
  return addSeconds(at, days * secondsPerDay);
}

export function startOfMinute(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 60_000) * 60_000);
}

export function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}

export function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** Returns a date such as `2026-11-20`, in UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** Returns times in words, such as `30 seconds, 2 minutes and 1 hour`. */
export function inWords(timesSeconds: readonly number[]): string {
  const words = timesSeconds.map((time) => {
    const unit = units.find(({ seconds }) => time % seconds === 0) ?? units[3];
    const count = time / unit.seconds;
    return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  });
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}
