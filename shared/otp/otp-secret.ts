/** The secrets that codes are derived from: the current one, and the previous one for a time after a rotation. */

export interface OtpSecrets {
  /** For new codes. */
  current(): Promise<string>;
  /** For verification: the current secret first. */
  all(): Promise<readonly string[]>;
  /** As `all`, read again unless that was just done: the code may be newer than the cache. */
  latest(): Promise<readonly string[]>;
}
