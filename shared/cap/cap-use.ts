/** How much of its caps a client has used (contract, section 11). */
import type { CapName, CapWindow } from '../contract/caps.ts';
import { capCounterKey } from './allowance.ts';
import type { CapCounter } from './cap-counter.ts';
import { amountOf, type CapLimit } from './cap-limits.ts';
import { capAttribute, capWindowsAt } from './cap-windows.ts';

export interface CapUse {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** Recipients, or an amount in the currency of the stage. */
  readonly limit: number;
  readonly used: number;
  /** ISO 8601 UTC. */
  readonly resets_at: string;
}

interface CapUseDependencies {
  readonly counter: Pick<CapCounter, 'read'>;
  /** The caps in force for a client. */
  readonly limitsOf: (clientId: string) => Promise<readonly CapLimit[]>;
}

/** One read, and none where no cap applies to the client. */
export async function capUse(
  { counter, limitsOf }: CapUseDependencies,
  clientId: string,
  now: Date,
): Promise<CapUse[]> {
  const limits = await limitsOf(clientId);
  if (limits.length === 0) return [];
  const windows = capWindowsAt(now);
  const row = await counter.read(capCounterKey(clientId, windows));
  return limits.map(({ cap, window, limit }) => ({
    cap,
    window,
    limit: amountOf(cap, limit),
    used: amountOf(cap, row[capAttribute(windows, cap, window)] ?? 0),
    resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
  }));
}
