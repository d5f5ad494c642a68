/** The request bodies of the operations on webhook endpoints (contract, section 12). */
import * as z from 'zod/mini';
import { eventFilters, messageEventNames } from '../../contract/webhook-events.ts';
import type { EventBridgeDestination, SqsDestination } from '../aws-destination.ts';
import type { Destination } from './webhook-endpoint.ts';

const descriptionCharactersMax = 256;

const events = z.nullable(
  z.array(z.enum(eventFilters)).check(z.minLength(1), z.maxLength(eventFilters.length)),
);
const description = z.nullable(z.string().check(z.minLength(1), z.maxLength(descriptionCharactersMax)));

/** The schemas of destinations: the URLs, queues and event buses to which this deployment may send. */
export interface DestinationSchemas {
  readonly url: z.ZodMiniType<string>;
  readonly sqs: z.ZodMiniType<SqsDestination>;
  readonly eventbridge: z.ZodMiniType<EventBridgeDestination>;
}

const destinationNames = ['url', 'sqs', 'eventbridge'] as const;

interface Destinations {
  readonly url?: string | null | undefined;
  readonly sqs?: SqsDestination | null | undefined;
  readonly eventbridge?: EventBridgeDestination | null | undefined;
}

function oneDestination(numberMin: 0 | 1) {
  return z.superRefine((given: Destinations, context) => {
    const named = destinationNames.filter((name) => given[name] !== undefined && given[name] !== null);
    const [, second] = named;
    if (second !== undefined)
      context.addIssue({
        code: 'custom',
        path: [second],
        message: 'is one destination too many: name one of url, sqs and eventbridge',
      });
    else if (named.length < numberMin)
      context.addIssue({
        code: 'custom',
        path: ['url'],
        message: 'is required, or sqs or eventbridge in its place',
      });
  });
}

/** Undefined if the request names none. */
export function destinationOf({ url, sqs, eventbridge }: Destinations): Destination | undefined {
  if (sqs) return { sqs };
  if (eventbridge) return { eventbridge };
  return url ? { url } : undefined;
}

function settingFields({ url, sqs, eventbridge }: DestinationSchemas) {
  return {
    url: z.optional(url),
    sqs: z.optional(sqs),
    eventbridge: z.optional(eventbridge),
    events: z.optional(events),
    description: z.optional(description),
  };
}

/** Null means the same as leaving the field out. */
export function newEndpointSchema(destinations: DestinationSchemas) {
  return z.object(settingFields(destinations)).check(oneDestination(1));
}

/** Null in `events` chooses every event, in `description` it removes the text; an absent field is not changed. */
export function endpointChangeSchema(destinations: DestinationSchemas) {
  return z
    .object({ ...settingFields(destinations), enabled: z.optional(z.boolean()) })
    .check(oneDestination(0));
}

export const testRequestSchema = z.object({ event: z.optional(z.enum(messageEventNames)) });
