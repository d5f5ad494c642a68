/** The health of endpoints in memory; passes the same tests as the table. */
import type {
  ClientOrigin,
  EndpointHealthStore,
  KnownHealth,
} from '../../../shared/webhook/endpoint-health/endpoint-health.ts';
import type { TrialSlots } from '../../../shared/webhook/endpoint-health/trial-requests.ts';

export function memoryEndpointHealthStore(): EndpointHealthStore & TrialSlots {
  const rows = new Map<string, KnownHealth & { readonly slowAt?: Date }>();
  const slots = new Map<string, { readonly holder: string; readonly since: Date; readonly until: Date }>();
  const keyOf = ({ clientId, origin }: ClientOrigin) => `${clientId} ${origin}`;
  return {
    async read(endpoint) {
      const row = rows.get(keyOf(endpoint));
      if (row === undefined) return undefined;
      const { slowAt: _, ...known } = row;
      return known;
    },
    async setSlow(endpoint, slowAt, until) {
      rows.set(keyOf(endpoint), { status: 'slow', slowAt, until });
    },
    async setLikelySlow(endpoint, now, until) {
      const row = rows.get(keyOf(endpoint));
      if (row?.slowAt === undefined || row.until <= now) rows.set(keyOf(endpoint), { status: 'slow', until });
    },
    async setHealthy(endpoint, until, slowButOk, unlessSlowSince) {
      const slowAt = rows.get(keyOf(endpoint))?.slowAt;
      if (slowAt !== undefined && slowAt > unlessSlowSince) return false;
      rows.set(keyOf(endpoint), { status: 'healthy', until, slowButOk });
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
