/** The secrets that codes are derived under: the present one, and while a rotation is young the one before. */

export interface OtpSecrets {
  /** The one that new codes are derived under. */
  current(): Promise<string>;
  /** All under which a code may have been derived, the present one first. */
  all(): Promise<readonly string[]>;
  /** The same, read anew where that was not done a moment ago: a code may be younger than what is remembered. */
  latest(): Promise<readonly string[]>;
}
