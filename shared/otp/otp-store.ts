/** What one-time passwords ask of their table. */
import type { OneTimePassword } from './otp.ts';

/** Who a password is for; at most one is pending for each. */
export interface OtpSlot {
  readonly clientId: string;
  readonly recipient: string;
  readonly purpose: string;
}

export interface RecipientSend {
  readonly message_id: string;
  readonly at: string;
}

/** The sends to one recipient that still count, and the revision to replace them by. */
export interface RecipientSends {
  readonly sends: readonly RecipientSend[];
  readonly revision: number;
}

interface OtpAttempt {
  readonly otpId: string;
  readonly clientId: string;
  /** Made by us: an id that a caller could choose would let any number of guesses pass for one. */
  readonly workId: string;
}

export interface OtpStore {
  get(otpId: string): Promise<OneTimePassword | undefined>;
  /** Stores a password unless its id is taken, which is fine: the same request was here before. */
  create(otp: OneTimePassword): Promise<void>;
  /** The password that the slot names last, whatever has become of it. */
  latest(slot: OtpSlot): Promise<string | undefined>;
  /** Makes the slot name another password, unless it no longer names `seen`. */
  setLatest(slot: OtpSlot, seen: string | undefined, otpId: string, now: Date): Promise<boolean>;
  recipientSends(clientId: string, recipient: string): Promise<RecipientSends>;
  /** False where the sends were changed since they were read. */
  replaceRecipientSends(
    clientId: string,
    recipient: string,
    seen: RecipientSends,
    sends: readonly RecipientSend[],
    now: Date,
  ): Promise<boolean>;
  /**
   * Counts one attempt before its code is compared, in one write: `counted` only while pending, unexpired and
   * with attempts left; else the row as it stands. The same unit of work counts once.
   */
  countAttempt(
    attempt: OtpAttempt,
    now: Date,
  ): Promise<{ readonly counted: boolean; readonly otp: OneTimePassword | undefined }>;
  /** Of any number of right codes at once one verifies. */
  markVerified(attempt: OtpAttempt): Promise<boolean>;
}
