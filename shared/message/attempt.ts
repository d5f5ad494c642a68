/** An attempt to hand a message over, as its row has it: recorded before the call (`dispatch/attempts.ts`). */
import * as z from 'zod/mini';
import { lazily } from '../platform/expiring-cache.ts';

export const attemptOutcomes = ['accepted', 'refused', 'not_taken', 'throttled', 'unknown'] as const;

export const storedAttempt = lazily(() =>
  z.object({
    /** 1 for the first; the id of the attempt has it. */
    number: z.int(),
    carrier: z.string(),
    at: z.iso.datetime(),
    /** When `on_unknown` decides, if the outcome is not known by then. */
    deadline: z.iso.datetime(),
    /** Absent while it is not known whether the carrier has the message. */
    outcome: z.exactOptional(z.enum(attemptOutcomes)),
    /** Of a repeat after throttling: when the carrier first throttled the message. */
    since: z.exactOptional(z.iso.datetime()),
  }),
);

export type StoredAttempt = Readonly<z.output<ReturnType<typeof storedAttempt>>>;
