/** The three fixed UTC windows of a time, and the attributes of a counter's row that count them (contract 4.1). */
import type { Limits } from '../contract/rate-limits-and-caps.ts';
import { dayOf, epochSeconds, secondsPerDay } from '../platform/clock.ts';

/** Shortest first. */
export const windowNames = ['minute', 'hour', 'day'] as const;

export type WindowName = (typeof windowNames)[number];

export type PerWindow<T> = Readonly<Record<WindowName, T>>;

export function perWindow<T>(of: (window: WindowName) => T): PerWindow<T> {
  return { minute: of('minute'), hour: of('hour'), day: of('day') };
}

export const windowSeconds: PerWindow<number> = { minute: 60, hour: 3600, day: secondsPerDay };

export interface Windows {
  /** The UTC day, `2026-11-20`: part of the counter's key. */
  readonly day: string;
  readonly minuteOfDay: number;
  /** `d`, `h00`–`h23`, `m0000`–`m1439`: the attributes that count these windows. */
  readonly attributes: PerWindow<string>;
  /** Seconds since the epoch. */
  readonly resetsAt: PerWindow<number>;
}

export function windowsAt(now: Date): Windows {
  const seconds = epochSeconds(now);
  const secondOfDay = seconds % windowSeconds.day;
  const minuteOfDay = Math.floor(secondOfDay / windowSeconds.minute);
  const end = (length: number): number => seconds - (seconds % length) + length;
  return {
    day: dayOf(now),
    minuteOfDay,
    attributes: {
      minute: minuteAttribute(minuteOfDay),
      hour: `h${Math.floor(secondOfDay / windowSeconds.hour)
        .toString()
        .padStart(2, '0')}`,
      day: 'd',
    },
    resetsAt: {
      minute: end(windowSeconds.minute),
      hour: end(windowSeconds.hour),
      day: end(windowSeconds.day),
    },
  };
}

const limitNames = { minute: 'perMinute', hour: 'perHour', day: 'perDay' } as const satisfies PerWindow<
  keyof Limits
>;

export function limitOf(limits: Limits, window: WindowName): number {
  return limits[limitNames[window]];
}

export function limitsBy(of: (window: WindowName) => number): Limits {
  return { perMinute: of('minute'), perHour: of('hour'), perDay: of('day') };
}

/**
 * The number of past minutes that are not removed, because another process with a slower clock may still add to them.
 */
export const keptMinutes = 4;
const cleanedMinutes = 90;

/**
 * Returns the attributes of past minutes that the first request of a minute removes. At most five remain after a run
 * of minutes, and only if 94 minutes without a request follow, so a row has at most 75 of them in a day.
 */
export function staleMinutes(minuteOfDay: number): string[] {
  const newest = minuteOfDay - keptMinutes - 1;
  const oldest = Math.max(0, newest - cleanedMinutes + 1);
  const attributes: string[] = [];
  for (let minute = oldest; minute <= newest; minute += 1) attributes.push(minuteAttribute(minute));
  return attributes;
}

function minuteAttribute(minuteOfDay: number): string {
  return `m${minuteOfDay.toString().padStart(4, '0')}`;
}
