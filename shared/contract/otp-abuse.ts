/** How abuse of one-time passwords is limited: the number of passwords to one recipient (contract 5.8), and holds. */
import * as z from 'zod/mini';

/**
 * The country of numbers that belong to no single one, such as satellite phones. ISO 3166 leaves this code to its
 * users.
 */
export const noCountry = 'ZZ';

/** The country of a hold of all countries of a client together. */
export const allCountries = '*';

/** The maximum number of one-time passwords of a client to one recipient in a window of this length. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;

/** The rule by which one-time passwords of a client to a country are held, a setting of the stage (docs/decisions/otp-hold.md). */
export function otpHoldRule() {
  const share = z.number().check(z.minimum(0), z.maximum(1));
  return z.strictObject({
    /** Fewer passwords are never judged. */
    minimumSends: z.int().check(z.minimum(10), z.maximum(1_000_000)),
    /** The usual share of verified passwords, until the client has sent `minimumSends` to the country in seven days. */
    usualShare: share,
    /** Passwords are held when less than this part of the usual share is verified. */
    shareOfUsual: share,
    /** Passwords are held below this share, however low the usual one is. */
    minimumShare: share,
    /** Younger passwords are not judged: their recipients may still enter them. */
    settleSeconds: z.int().check(z.minimum(0), z.maximum(1800)),
  });
}

export type OtpHoldRule = Readonly<z.output<ReturnType<typeof otpHoldRule>>>;
