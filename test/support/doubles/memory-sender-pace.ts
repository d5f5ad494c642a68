/** Rows of senders with a pace in memory, and pacing on them. */

import {
  type SenderPace,
  type SenderPaceStore,
  type SenderRow,
  senderPace,
} from '../../../shared/message/pace/sender-pace.ts';
import { noSlots } from '../../../shared/message/pace/sender-slots.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';

export function memorySenderPaceStore(): SenderPaceStore {
  const rows = new Map<string, SenderRow>();
  const present = (identity: string): SenderRow => rows.get(identity) ?? { slots: noSlots, revision: 0 };
  return {
    read: async (identity) => present(identity),
    async replace(identity, seen, slots) {
      if (present(identity).revision !== seen.revision) return false;
      rows.set(identity, { slots, revision: seen.revision + 1 });
      return true;
    },
  };
}

export function memorySenderPace(clock: Clock = systemClock): SenderPace {
  return senderPace({ store: memorySenderPaceStore(), clock, sleep: async () => {}, random: () => 0.5 });
}
