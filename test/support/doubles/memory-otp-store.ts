/** One-time passwords in memory; the conformance suite of the table runs on it too. */
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import type { OtpSlot, OtpStore, RecipientSends } from '../../../shared/otp/otp-store.ts';

interface MemoryOtpStore extends OtpStore {
  /** All passwords. */
  all(): OneTimePassword[];
}

export function memoryOtpStore(): MemoryOtpStore {
  const rows = new Map<string, OneTimePassword>();
  const verifiedBy = new Map<string, string>();
  const pending = new Map<string, string>();
  const sendsTo = new Map<string, RecipientSends>();
  const slotKey = ({ clientId, recipient, purpose }: OtpSlot): string =>
    `${clientId}#${recipient}#${purpose}`;

  return {
    all: () => [...rows.values()],

    async get(otpId) {
      return rows.get(otpId);
    },

    async create(otp) {
      if (!rows.has(otp.otp_id)) rows.set(otp.otp_id, otp);
    },

    async latest(slot) {
      return pending.get(slotKey(slot));
    },

    async setLatest(slot, seen, otpId) {
      if (pending.get(slotKey(slot)) !== seen) return false;
      pending.set(slotKey(slot), otpId);
      return true;
    },

    async recipientSends(clientId, recipient) {
      return sendsTo.get(`${clientId}#${recipient}`) ?? { sends: [], revision: 0 };
    },

    async replaceRecipientSends(clientId, recipient, seen, sends) {
      const key = `${clientId}#${recipient}`;
      const row = sendsTo.get(key);
      if (row !== undefined && row.revision !== seen.revision) return false;
      sendsTo.set(key, { sends, revision: seen.revision + 1 });
      return true;
    },

    async countAttempt({ otpId, clientId, workId }, now) {
      const otp = rows.get(otpId);
      if (otp?.client_id !== clientId) return { counted: false, otp };
      if (otp.latest_attempt === workId) return { counted: true, otp };
      const open = otp.status === 'pending' && otp.expires_at > now.toISOString();
      if (!open || otp.attempts >= otp.max_attempts) return { counted: false, otp };
      const counted = { ...otp, attempts: otp.attempts + 1, latest_attempt: workId };
      rows.set(otpId, counted);
      return { counted: true, otp: counted };
    },

    async markVerified({ otpId, workId }) {
      const otp = rows.get(otpId);
      if (otp === undefined) return false;
      if (otp.status !== 'pending') return verifiedBy.get(otpId) === workId;
      rows.set(otpId, { ...otp, status: 'verified' });
      verifiedBy.set(otpId, workId);
      return true;
    },
  };
}
