/**
 * Judges whether few of a client's one-time passwords to a country are verified, which indicates SMS pumping: programs
 * request passwords that nobody reads. The result depends only on the arguments.
 *
 * The last hour and every shorter time up to now are judged, so that good traffic before an attack does not hide it. Small
 * numbers vary by chance: passwords are held only if p < 10⁻⁶ for so few verifications of a client whose share is at the
 * threshold.
 */
import type { OtpHoldRule } from '../contract/otp-hold.ts';

export interface OtpCount {
  readonly sends: number;
  readonly verified: number;
}

export interface OtpMinute extends OtpCount {
  readonly start: Date;
}

export interface Suspicion extends OtpCount {
  /** The start of the judged time. */
  readonly since: Date;
  /** The share that was not reached. */
  readonly threshold: number;
  /** Undefined if the client has sent too few to know it. */
  readonly usualShare: number | undefined;
}

const chanceMax = 1e-6;

/**
 * @param minutes - by the creation of the passwords, oldest first
 * @param usual - the client's passwords to this country on earlier days
 */
export function judgeTraffic(
  minutes: readonly OtpMinute[],
  usual: OtpCount,
  rule: OtpHoldRule,
): Suspicion | undefined {
  const usualShare = usual.sends < rule.minimumSends ? undefined : shareOf(usual);
  const threshold = Math.max(rule.minimumShare, rule.shareOfUsual * (usualShare ?? rule.usualShare));
  let [sends, verified] = [0, 0];
  for (const minute of minutes.toReversed()) {
    sends += minute.sends;
    verified += minute.verified;
    if (sends >= rule.minimumSends && isBelow({ sends, verified }, threshold)) {
      return { sends, verified, since: minute.start, threshold, usualShare };
    }
  }
  return undefined;
}

/** Whether any share that the rule can have as its threshold is above those of the minutes: else the usual one need not be read. */
export function canBeSuspicious(minutes: readonly OtpMinute[], rule: OtpHoldRule): boolean {
  return judgeTraffic(minutes, { sends: rule.minimumSends, verified: rule.minimumSends }, rule) !== undefined;
}

/** A verification may be counted whose password was created before the counting began. */
function shareOf({ sends, verified }: OtpCount): number {
  return Math.min(1, verified / sends);
}

/**
 * Chernoff's bound: with a true share p, a share of q or less among n has at most the chance exp(-n · D(q‖p)), where D is
 * the relative entropy.
 */
function isBelow(count: OtpCount, threshold: number): boolean {
  const share = shareOf(count);
  if (share >= threshold) return false;
  const entropy = term(share, threshold) + term(1 - share, 1 - threshold);
  return count.sends * entropy >= -Math.log(chanceMax);
}

function term(observed: number, expected: number): number {
  return observed === 0 ? 0 : observed * Math.log(observed / expected);
}
