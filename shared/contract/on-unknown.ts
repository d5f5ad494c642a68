/** What happens to a message when it is not known in time whether its carrier has it (contract 16). */
import * as z from 'zod/mini';

/** `wait`: until its validity ends. */
export const onUnknownChoices = ['send_again', 'fail', 'wait'] as const;

export type OnUnknown = (typeof onUnknownChoices)[number];

const choice = z.enum(onUnknownChoices);

/** What happens where the send does not say it. */
export function onUnknownDefaults() {
  return z.strictObject({ otp: choice, promotional: choice, other: choice });
}

export type OnUnknownDefaults = Readonly<z.output<ReturnType<typeof onUnknownDefaults>>>;

/** Where the stage does not say it either. */
export const usualOnUnknown = { otp: 'send_again', promotional: 'fail', other: 'wait' } as const;

/** How long after the attempt it happens, in seconds. */
export function unknownDeadlines() {
  const seconds = z.int().check(z.minimum(1), z.maximum(86_400));
  return z.strictObject({ otp: seconds, other: seconds });
}

export type UnknownDeadlines = Readonly<z.output<ReturnType<typeof unknownDeadlines>>>;

/** Where the stage does not say it. */
export const usualUnknownDeadlines = { otp: 30, other: 300 } as const;
