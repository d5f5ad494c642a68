/** The windows and notices of caps, and the caps of a stage for all clients (contract, section 10). */
import * as z from 'zod/mini';

/** Shortest first. A month is a UTC calendar month. */
export const capWindowNames = ['minute', 'hour', 'day', 'month'] as const;

export type CapWindow = (typeof capWindowNames)[number];

/** The percentages of a spend cap at which administrators are notified, as `shared/cap/cap-notices.ts` says. */
export const noticePercentages = [80, 100] as const;

export function stageCaps() {
  const count = z.optional(z.int().check(z.positive()));
  const amount = z.optional(z.number().check(z.positive(), z.maximum(1e9)));
  return z.strictObject({
    /** Accepted recipients. */
    messages: z.optional(
      z.strictObject({ perMinute: count, perHour: count, perDay: count, perMonth: count }),
    ),
    /** In the currency of the stage's prices. */
    spend: z.optional(z.strictObject({ perDay: amount, perMonth: amount })),
  });
}

export type StageCaps = Readonly<z.output<ReturnType<typeof stageCaps>>>;
