/** A one-time password: what is known of it, which is all but the code. */
import type { Channel } from '../message/message.ts';

/** A row of the table. All times ISO 8601 UTC. */
export interface OneTimePassword {
  readonly otp_id: string;
  readonly client_id: string;
  /** E.164. */
  readonly recipient: string;
  readonly channel: Channel;
  /** What the password is for: one may be pending for each client, recipient and purpose. */
  readonly purpose: string;
  readonly code_length: number;
  readonly max_attempts: number;
  /** Attempts counted so far; each is counted before its code is compared. */
  readonly attempts: number;
  readonly status: 'pending' | 'verified';
  /** The unit of work that counted the latest attempt, by an id of our own: so that a write the SDK repeats after a lost answer knows its own. */
  readonly latest_attempt?: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Whether it can still be verified. Expiry is decided here, not by the table's TTL, which comes hours late. */
export function isPending(otp: OneTimePassword, now: Date): boolean {
  return otp.status === 'pending' && otp.expires_at > now.toISOString() && otp.attempts < otp.max_attempts;
}

export function attemptsRemaining(otp: OneTimePassword): number {
  return Math.max(0, otp.max_attempts - otp.attempts);
}

/** Sends to one recipient: at most 5 in any 10 minutes, against SMS pumping (contract, section 5). */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;
