/** The request bodies of the operations on webhook endpoints (contract, section 12). */
import * as z from 'zod/mini';
import { eventFilters, messageEventNames } from '../../contract/webhook-events.ts';

const descriptionCharactersMax = 256;

const events = z.nullable(
  z.array(z.enum(eventFilters)).check(z.minLength(1), z.maxLength(eventFilters.length)),
);
const description = z.nullable(z.string().check(z.minLength(1), z.maxLength(descriptionCharactersMax)));

/** Null means the same as leaving the field out. */
export function newEndpointSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    url: webhookUrl,
    events: z.optional(events),
    description: z.optional(description),
  });
}

/** Null in `events` chooses every event, in `description` it removes the text; an absent field is not changed. */
export function endpointChangeSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    url: z.optional(webhookUrl),
    events: z.optional(events),
    description: z.optional(description),
    enabled: z.optional(z.boolean()),
  });
}

export const testRequestSchema = z.object({ event: z.optional(z.enum(messageEventNames)) });
