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
import type { Windows } from './windows.ts';

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

/** Returns the attribute that counts for this cap in this window. */
export function capAttribute(windows: Windows, cap: CapName, window: CapWindow): string {
  return `${cap}_${windows.attributes[window]}`;
}

/** Returns the attribute that stores the highest cap for which this percentage was notified in this window. */
export function noticeAttribute(attribute: string, percentage: number): string {
  return `${attribute}_${percentage}`;
}
