/** How long the secret before a new one stays in use, which a rotation can choose: of a client, and of webhooks. */
import * as z from 'zod/mini';
import { previousSecretHours, previousSecretHoursMax } from '../contract/validity.ts';

/** The body of a rotation; it may be left out. */
export const secretRotationBody = z.object({
  overlap_hours: z.optional(z.int().check(z.minimum(0), z.maximum(previousSecretHoursMax))),
});

export type SecretRotation = z.output<typeof secretRotationBody>;

/** What becomes of the older secrets, for the activity log. */
export function overlapText(stays: string, { overlap_hours = previousSecretHours }: SecretRotation): string {
  return overlap_hours === 0
    ? 'no older one has an overlap'
    : `the previous one ${stays} for ${overlap_hours} h more`;
}
