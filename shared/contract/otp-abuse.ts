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

/** Returns the schema of the stage setting by which one-time passwords are held (docs/decisions/otp-hold.md). */
export function otpHoldRule() {
  return z.strictObject({
    /** Fewer passwords in an hour are never held. */
    minimumSends: z.int().check(z.minimum(10), z.maximum(1_000_000)),
    /** Passwords are held if the verified share of them is below this. */
    minimumShare: z.number().check(z.minimum(0), z.maximum(1)),
  });
}

export type OtpHoldRule = Readonly<z.output<ReturnType<typeof otpHoldRule>>>;
