/** The caps, their windows and notices, and the caps of a stage for all clients (contract 10.2). */
import * as z from 'zod/mini';

/** Shortest first. A month is a UTC calendar month. */
export const capWindowNames = ['minute', 'hour', 'day', 'month'] as const;

export type CapWindow = (typeof capWindowNames)[number];

interface Cap {
  /** The windows in which the cap can be set. */
  readonly windows: readonly CapWindow[];
  /** Whether it limits amounts of money, in the currency of the stage's prices: they are counted in millionths. */
  readonly isMoney: boolean;
}

/** The caps: quantities that a client sends, of which a window allows a maximum. */
export const caps = {
  /** Accepted recipients over all sends. */
  messages: { windows: ['minute', 'hour', 'day', 'month'], isMoney: false },
  /** Estimated cost. */
  spend: { windows: ['day', 'month'], isMoney: true },
} as const satisfies Record<string, Cap>;

export type CapName = keyof typeof caps;
export const capNames = Object.keys(caps) as CapName[];

/** The percentages of a spend cap at which administrators are notified, as `shared/limit/cap-notices.ts` says. */
export const noticePercentages = [80, 100] as const;

/** The windows as fields of the stage's setting. */
export const stageCapFields = {
  minute: 'perMinute',
  hour: 'perHour',
  day: 'perDay',
  month: 'perMonth',
} as const satisfies Record<CapWindow, string>;

export function stageCaps() {
  const limits = (name: CapName) => {
    const { windows, isMoney }: Cap = caps[name];
    const limit = isMoney ? z.number().check(z.positive(), z.maximum(1e9)) : z.int().check(z.positive());
    return z.optional(z.partialRecord(z.enum(windows.map((window) => stageCapFields[window])), limit));
  };
  return z.strictObject({ messages: limits('messages'), spend: limits('spend') });
}

export type StageCaps = Readonly<z.output<ReturnType<typeof stageCaps>>>;
