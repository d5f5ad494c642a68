/** The caps in force for a client: its own, and the stage's for windows without its own (contract 10.2). */

import { millionthsPerUnit } from '../contract/prices.ts';
import {
  type CapName,
  type Caps,
  type CapWindow,
  capNames,
  caps,
  type StageCaps,
  stageCapFields,
} from '../contract/rate-limits-and-caps.ts';
import { keptMinutes, windowSeconds, windowsAt } from './windows.ts';

/** A cap in one window. */
export interface CapLimit {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** Messages, or millionths of the currency. */
  readonly limit: number;
}

/** Messages before spend, shorter windows first. @param own - of the client's row, or of the one for every client */
export function capLimits(own: Caps, stage: StageCaps): CapLimit[] {
  return capNames.flatMap((cap) =>
    caps[cap].windows.flatMap((window): CapLimit[] => {
      const ofStage = stage[cap]?.[stageCapFields[window]];
      const counted = ofStage !== undefined && caps[cap].isMoney ? millionths(ofStage) : ofStage;
      const limit = own[cap]?.[`per_${window}`] ?? counted;
      return limit === undefined ? [] : [{ cap, window, limit }];
    }),
  );
}

/** Returns the caps of the stage by the attributes of a row: the limits of a cap without a row. */
export function capDefaults(stage: StageCaps): Caps {
  const limits = capLimits({}, stage);
  return Object.fromEntries(
    capNames.map((name) => [
      name,
      Object.fromEntries(
        limits.filter(({ cap }) => cap === name).map(({ window, limit }) => [`per_${window}`, limit]),
      ),
    ]),
  );
}

/** Converts an amount to millionths, rounded like the cost of a message. */
export function millionths(amount: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount * millionthsPerUnit));
}

/** Converts a count to messages, or to units of the currency. */
export function amountOf(cap: CapName, counted: number): number {
  return caps[cap].isMoney ? counted / millionthsPerUnit : counted;
}

/** The UTC windows of a time, and the attributes of a client's row that count in them. A row is for one calendar month. */
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

/** Returns the attribute that counts for this cap in this window. */
export function capAttribute(windows: CapWindows, cap: CapName, window: CapWindow): string {
  return `${cap}_${windows.names[window]}`;
}

/** Returns the count in this attribute of a row. A corrupt count is treated as full. */
export function countIn(row: Readonly<Record<string, unknown>>, attribute: string): number {
  const { [attribute]: count = 0 } = row;
  return typeof count === 'number' ? count : Number.MAX_SAFE_INTEGER;
}

/** Returns the attribute that stores the highest cap for which this percentage was notified in this window. */
export function noticeAttribute(attribute: string, percentage: number): string {
  return `${attribute}_${percentage}`;
}

const windowed = /_([dhm])(\d\d)(\d\d)?(\d\d)?(_\d+)?$/;
const lengths = { m: windowSeconds.minute, h: windowSeconds.hour, d: windowSeconds.day } as const;
/** Removed in one write: the expression stays below DynamoDB's 4 KB. */
const removedAtOnce = 90;

/**
 * Returns the attributes of windows that have ended, which the next write removes. Keeps the latest minutes, as the
 * rate limiter does.
 */
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
