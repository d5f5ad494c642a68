/** The UTC windows of a time, and the attributes of a client's row that count in them. A row is for one calendar month. */
import type { CapName, CapWindow } from '../contract/caps.ts';
import { keptMinutes, windowSeconds, windowsAt } from '../rate-limit/windows.ts';

export interface CapWindows {
  /** The UTC month, `2026-11`: part of the row's key, so that no attribute needs a name for its month. */
  readonly month: string;
  /** Seconds since the epoch. */
  readonly resetsAt: Readonly<Record<CapWindow, number>>;
  /** The part of attribute names: `m201005`, `h2010`, `d20` and `month`, for 10:05 of the 20th. */
  readonly names: Readonly<Record<CapWindow, string>>;
}

export function capWindowsAt(now: Date): CapWindows {
  const iso = now.toISOString();
  const [month, day, hour, minute] = [
    iso.slice(0, 7),
    iso.slice(8, 10),
    iso.slice(11, 13),
    iso.slice(14, 16),
  ];
  return {
    month,
    resetsAt: {
      ...windowsAt(now).resetsAt,
      month: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000,
    },
    names: { minute: `m${day}${hour}${minute}`, hour: `h${day}${hour}`, day: `d${day}`, month: 'month' },
  };
}

/** The attribute that counts for this cap in this window. */
export function capAttribute(windows: CapWindows, cap: CapName, window: CapWindow): string {
  return `${cap}_${windows.names[window]}`;
}

/** The highest cap for which this percentage of it was notified in this window. */
export function noticeAttribute(attribute: string, percentage: number): string {
  return `${attribute}_${percentage}`;
}

/** The ids of the requests that gave back what they took in this minute, so that a repeated write gives back once. */
export function givenBackAttribute(windows: CapWindows): string {
  return `given_back_${windows.names.minute}`;
}

const windowed = /_([dhm])(\d\d)(\d\d)?(\d\d)?(_\d+)?$/;
const lengths = { m: windowSeconds.minute, h: windowSeconds.hour, d: windowSeconds.day } as const;
/** Removed in one write: the expression stays below DynamoDB's 4 KB. */
const removedAtOnce = 90;

/** The attributes of a row whose window ended, for the next write to remove. Those of the last minutes are kept, as in the rate limiter. */
export function endedAttributes(attributes: Iterable<string>, now: Date): string[] {
  const keptFrom = now.getTime() / 1000 - keptMinutes * windowSeconds.minute;
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
