/** The rule for a message if it is not known in time whether its carrier has it (contract 16.2 and 16.3). */
import * as z from 'zod/mini';

/** `wait`: for a receipt, until the validity of the message ends. */
const choice = z.enum(['send_again', 'wait']);

/** Returns the schema of a stage's rule for each kind of message. */
export function onUnknownRules() {
  return z.strictObject({ otp: choice, promotional: choice, other: choice });
}

export type OnUnknownRules = Readonly<z.output<ReturnType<typeof onUnknownRules>>>;

export const usualOnUnknown = { otp: 'send_again', promotional: 'wait', other: 'wait' } as const;

/** Returns the schema of the seconds after an attempt at which the rule applies. */
export function unknownDeadlines() {
  const seconds = z.int().check(z.minimum(1), z.maximum(86_400));
  return z.strictObject({ otp: seconds, other: seconds });
}

export type UnknownDeadlines = Readonly<z.output<ReturnType<typeof unknownDeadlines>>>;

export const usualUnknownDeadlines = { otp: 30, other: 300 } as const;
