/** One row for each sender with a pace: its reserved slots, with a revision that changes with each write. */
import type { SenderSlots } from './sender-slots.ts';

export interface SenderRow {
  readonly slots: SenderSlots;
  /** 0 if there is no row. */
  readonly revision: number;
}

export interface SenderPaceStore {
  /** Strongly consistent. */
  read(identity: string): Promise<SenderRow>;
  /** Writes if the revision is still the one seen; returns whether it was. */
  replace(identity: string, seen: SenderRow, next: SenderSlots): Promise<boolean>;
}
