/** Requests to resend many webhooks in memory; passes the same tests as the table. */
import type { Resend, ResendStore } from '../../../shared/webhook/resend/resend.ts';

export function memoryResendStore(): ResendStore {
  const rows = new Map<string, Resend>();
  return {
    async create(resend) {
      const row = rows.get(resend.resend_id) ?? resend;
      rows.set(resend.resend_id, row);
      return row;
    },
    async get(resendId) {
      return rows.get(resendId);
    },
    async replace(seen, next) {
      const row = rows.get(seen.resend_id);
      if (row?.revision === next.revision) return true;
      if (row?.revision !== seen.revision) return false;
      rows.set(next.resend_id, next);
      return true;
    },
  };
}
