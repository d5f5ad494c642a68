/** One-time passwords in memory; the conformance suite of the table runs on it too. */
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import type { OtpRecipient, OtpStore, PendingOtpKey, RecipientSends } from '../../../shared/otp/otp-store.ts';

interface MemoryOtpStore extends OtpStore {
  /** All passwords. */
  all(): OneTimePassword[];
}

export function memoryOtpStore(): MemoryOtpStore {
  const rows = new Map<string, OneTimePassword>();
  const verifiedBy = new Map<string, string>();
  const pending = new Map<string, string>();
  const sendsTo = new Map<string, RecipientSends>();
  const sendsKey = ({ clientId, recipient }: OtpRecipient): string => `${clientId}#${recipient}`;
  const pendingKey = (key: PendingOtpKey): string => `${sendsKey(key)}#${key.purpose}`;

  return {
    all: () => [...rows.values()],

    async get(otpId) {
      return rows.get(otpId);
    },

    async create(otp) {
      if (!rows.has(otp.otp_id)) rows.set(otp.otp_id, otp);
    },

    async latest(key) {
      return pending.get(pendingKey(key));
    },

    async setLatest(key, seen, otpId) {
      if (pending.get(pendingKey(key)) !== seen) return false;
      pending.set(pendingKey(key), otpId);
      return true;
    },

    async recipientSends(recipient) {
      return sendsTo.get(sendsKey(recipient)) ?? { sends: [], revision: 0 };
    },

    async replaceRecipientSends(recipient, seen, sends) {
      const key = sendsKey(recipient);
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
