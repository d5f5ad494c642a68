/** What is known of receivers, in memory, held to the same conformance suite as the table. */
import type { Known, Receiver, ReceiverStore } from '../../shared/webhook/receiver-health.ts';

export function memoryReceiverStore(): ReceiverStore {
  const rows = new Map<string, Known & { readonly hungAt?: Date }>();
  const slots = new Map<string, { readonly holder: string; readonly since: Date; readonly until: Date }>();
  const keyOf = ({ clientId, origin }: Receiver) => `${clientId} ${origin}`;
  return {
    async read(receiver) {
      const row = rows.get(keyOf(receiver));
      if (row === undefined) return undefined;
      const { hungAt: _, ...known } = row;
      return known;
    },
    async setSlow(receiver, hungAt, until) {
      rows.set(keyOf(receiver), { standing: 'slow', hungAt, until });
    },
    async setHesitating(receiver, now, until) {
      const row = rows.get(keyOf(receiver));
      if (row?.hungAt === undefined || row.until <= now)
        rows.set(keyOf(receiver), { standing: 'slow', until });
    },
    async setQuick(receiver, until, leisurely, unlessHungSince) {
      const hungAt = rows.get(keyOf(receiver))?.hungAt;
      if (hungAt !== undefined && hungAt > unlessHungSince) return false;
      rows.set(keyOf(receiver), { standing: 'quick', until, leisurely });
      return true;
    },
    async takeSlot(slot, holder, now, until) {
      const taken = slots.get(slot);
      if (taken !== undefined && taken.holder !== holder && taken.until > now) return taken.since;
      slots.set(slot, { holder, since: now, until });
      return undefined;
    },
    async freeSlot(slot, holder) {
      if (slots.get(slot)?.holder === holder) slots.delete(slot);
    },
  };
}
