/** The caps in force for a client: its own, and for the other windows those of the stage (contract, section 10). */
import {
  type CapName,
  type CapWindow,
  capNames,
  caps,
  type StageCaps,
  stageCapFields,
} from '../contract/caps.ts';
import type { Caps } from '../contract/limit-rows.ts';
import { millionthsPerUnit } from '../contract/money.ts';

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

/** The caps of the stage by the attributes of a row: the limits of a cap without a row. */
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

/** Rounded, as the cost of a message is. */
export function millionths(amount: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount * millionthsPerUnit));
}

/** Messages, or units of the currency. */
export function amountOf(cap: CapName, counted: number): number {
  return caps[cap].isMoney ? counted / millionthsPerUnit : counted;
}
