/** Null means the same as leaving the field out: clients that serialize their own types send null. */
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { parseFields } from '../../../shared/operation/operation.ts';
import { awsDestinationSchemas } from '../../../shared/webhook/aws-destination.ts';
import {
  changed,
  destinationOf,
  endpointChangeSchema,
  newEndpointSchema,
  testRequestSchema,
} from '../../../shared/webhook/webhook-endpoint.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const own = awsDestinationSchemas({ partition: 'aws', account: '999999999999' });
const destinations = { url: z.string(), ...own };
const role_arn = 'arn:aws:iam::123456789012:role/r';
const sqs = { queue_arn: 'arn:aws:sqs:eu-west-1:123456789012:webhooks', role_arn };

it.each([
  { url: 'https://a.example', sqs: null, eventbridge: null },
  { url: null, sqs, eventbridge: null },
])('a new endpoint at %j', (given) => {
  const { url, ...named } = given;
  const expected = url === null ? { sqs: named.sqs } : { url };
  expect(destinationOf(parseFields(newEndpointSchema(destinations), given))).toEqual(expected);
});

it('a new endpoint needs a destination', () => {
  const none = { url: null, sqs: null, eventbridge: null };
  expect(() => parseFields(newEndpointSchema(destinations), none)).toThrow('url');
});

it('a change changes nothing', () => {
  const none = { url: null, sqs: null, eventbridge: null, enabled: null };
  const given = parseFields(endpointChangeSchema(destinations), none);
  const endpoint = anEndpoint({ description: 'ours' });
  const change = { ...given, destination: destinationOf(given) };
  expect(changed(endpoint, change, created, endpoint.revision)).toEqual(endpoint);
});

it('a test event is the one that the endpoint takes', () => {
  expect(parseFields(testRequestSchema, { event: null }).event).toBeUndefined();
});
