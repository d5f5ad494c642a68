/** The fixed UTC windows of a time, and the attributes of a counter's row that count in them (contract 4.1, 10.2). */
import type { CapWindow, Limits } from '../contract/rate-limits-and-caps.ts';
import { epochSeconds, secondsPerDay } from '../platform/clock.ts';

/** Shortest first. */
export const windowNames = ['minute', 'hour', 'day'] as const;

export type WindowName = (typeof windowNames)[number];

type PerWindow<T> = Readonly<Record<WindowName, T>>;

export function perWindow<T>(of: (window: WindowName) => T): PerWindow<T> {
  return { minute: of('minute'), hour: of('hour'), day: of('day') };
}

export const windowSeconds: PerWindow<number> = { minute: 60, hour: 3600, day: secondsPerDay };

/** The UTC windows of a time. */
export interface Windows {
  /** `2026-11-20` and `2026-11`: parts of the keys of rows. */
  readonly day: string;
  readonly month: string;
  /** `m201005`, `h2010`, `d20` and `month` for 10:05 of the 20th: the attributes that count these windows. */
  readonly attributes: Readonly<Record<CapWindow, string>>;
  /** Seconds since the epoch. */
  readonly resetsAt: Readonly<Record<CapWindow, number>>;
}

export function windowsAt(now: Date): Windows {
  const iso = now.toISOString();
  const [dd, hh, mm] = [iso.slice(8, 10), iso.slice(11, 13), iso.slice(14, 16)];
  const seconds = epochSeconds(now);
  const end = (length: number): number => seconds - (seconds % length) + length;
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    attributes: { minute: `m${dd}${hh}${mm}`, hour: `h${dd}${hh}`, day: `d${dd}`, month: 'month' },
    resetsAt: {
      minute: end(windowSeconds.minute),
      hour: end(windowSeconds.hour),
      day: end(windowSeconds.day),
      month: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000,
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

/** How long a window is kept after its end, because a process with a slower clock may still add to it. */
const keptSeconds = 240;
/** Removed in one write: the expression stays below DynamoDB's 4 KB. */
const removedAtOnce = 90;

const windowed = /^(?:[a-z_]+_)?([dhm])(\d\d)(\d\d)?(\d\d)?(_\d+)?$/;
const lengths = { m: windowSeconds.minute, h: windowSeconds.hour, d: windowSeconds.day } as const;

/** Returns the attributes of windows that have ended. @param now - in the month of the row */
export function endedAttributes(attributes: Iterable<string>, now: Date): string[] {
  const keptFrom = now.getTime() / 1000 - keptSeconds;
  const ended: string[] = [];
  for (const attribute of attributes) {
    const [, kind, day, hour = '0', minute = '0'] = windowed.exec(attribute) ?? [];
    if (kind === undefined) continue;
    const begin = Date.UTC(
      now.getUTCFullYear(),
      now.getUTCMonth(),
      Number(day),
      Number(hour),
      Number(minute),
    );
    if (begin / 1000 + lengths[kind as keyof typeof lengths] <= keptFrom) ended.push(attribute);
  }
  return ended.slice(0, removedAtOnce);
}
