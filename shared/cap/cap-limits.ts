/** The caps in force for a client: its own, and for the other windows those of the stage (contract, section 10). */
import { type CapWindow, capWindowNames, type StageCaps } from '../contract/caps.ts';
import { type CapName, capNames } from '../contract/limit-rows.ts';
import { millionthsPerUnit } from '../contract/money.ts';
import type { CapDefaults } from '../rate-limit/feedback/endpoint-in-force.ts';
import type { CapLimits, Caps } from '../rate-limit/overrides.ts';

/** A cap in one window. */
export interface CapLimit {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** Messages, or millionths of the currency. */
  readonly limit: number;
}

const fields = { minute: 'perMinute', hour: 'perHour', day: 'perDay', month: 'perMonth' } as const;

/** Messages before spend, shorter windows first. @param own - of the client's row, or of the one for every client */
export function capLimits(own: Caps, stage: StageCaps): CapLimit[] {
  return capNames.flatMap((cap) => {
    const ownLimits: CapLimits = own[cap] ?? {};
    const stageLimits: Readonly<Partial<Record<keyof CapLimits, number | undefined>>> = stage[cap] ?? {};
    return capWindowNames.flatMap((window): CapLimit[] => {
      const field = fields[window];
      const ofStage = stageLimits[field];
      const counted = cap === 'spend' && ofStage !== undefined ? millionths(ofStage) : ofStage;
      const limit = ownLimits[field] ?? counted;
      return limit === undefined ? [] : [{ cap, window, limit }];
    });
  });
}

/** The caps of the stage by the attributes of a row: the limits of a cap without a row. */
export function capDefaults(stage: StageCaps): CapDefaults {
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

/** Rounded, as the cost of a message is. */
export function millionths(amount: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount * millionthsPerUnit));
}

/** Messages, or units of the currency. */
export function amountOf(cap: CapName, counted: number): number {
  return cap === 'spend' ? counted / millionthsPerUnit : counted;
}
