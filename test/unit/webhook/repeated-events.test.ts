/** A name that the filter of an endpoint repeats is stored once. */
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { endpointChangeSchema, newEndpointSchema } from '../../../shared/webhook/webhook-endpoint.ts';

const destinations = { url: z.string(), sqs: z.never(), eventbridge: z.never() };
const events = ['sms.sent', 'sms.*', 'sms.sent'];

it.each([newEndpointSchema(destinations), endpointChangeSchema(destinations)])(
  'is parsed as one, in the order of the request',
  (schema) => {
    const parsed = schema.parse({ url: 'https://a.example', events });
    expect(parsed.events).toEqual(['sms.sent', 'sms.*']);
    expect(schema.parse({ url: 'https://a.example', events: null }).events).toBeNull();
  },
);
