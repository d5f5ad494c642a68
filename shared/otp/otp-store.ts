/** The one-time-passwords table. */
import type { OneTimePassword } from './otp.ts';

/** A recipient of one client's passwords. */
export interface OtpRecipient {
  readonly clientId: string;
  readonly recipient: string;
}

/** At most one password is pending for each client, recipient and purpose. */
export interface PendingOtpKey extends OtpRecipient {
  readonly purpose: string;
}

export interface RecipientSend {
  readonly message_id: string;
  readonly at: string;
}

/** The latest sends to one recipient, with the revision that a replacement must name. */
export interface RecipientSends {
  readonly sends: readonly RecipientSend[];
  readonly revision: number;
}

interface OtpAttempt {
  readonly otpId: string;
  readonly clientId: string;
  /** Not from the caller: with an id of its choice, any number of guesses could count as one. */
  readonly workId: string;
}

export interface OtpStore {
  get(otpId: string): Promise<OneTimePassword | undefined>;
  /** Stores a password unless its id is taken, which means that the same request stored it before. */
  create(otp: OneTimePassword): Promise<void>;
  /** The id of the latest password, in any state. */
  latest(key: PendingOtpKey): Promise<string | undefined>;
  /** Replaces the latest password, unless it is no longer `seen`. */
  setLatest(key: PendingOtpKey, seen: string | undefined, otpId: string, now: Date): Promise<boolean>;
  recipientSends(recipient: OtpRecipient): Promise<RecipientSends>;
  /** False where the sends have changed since they were read. */
  replaceRecipientSends(
    recipient: OtpRecipient,
    seen: RecipientSends,
    sends: readonly RecipientSend[],
    now: Date,
  ): Promise<boolean>;
  /**
   * Counts one attempt before its code is compared, in one write: `counted` only while the password is pending and
   * unexpired and has attempts left. `otp` is the present row. The same work id counts once.
   */
  countAttempt(
    attempt: OtpAttempt,
    now: Date,
  ): Promise<{ readonly counted: boolean; readonly otp: OneTimePassword | undefined }>;
  /** Of any number of concurrent right codes, one gets true. */
  markVerified(attempt: OtpAttempt): Promise<boolean>;
}
