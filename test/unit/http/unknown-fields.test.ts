/** Fields that an operation does not know are found at any depth, and are named after the request was parsed. */
import { expect, it } from '@jest/globals';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { noteUnknownRowFields } from '../../../shared/message/send/bulk-rows.ts';
import { parseBody } from '../../../shared/operation/operation.ts';

const to = '+447700900123';

it.each([
  [requests.SmsMessage, { to, message: 'x', mesage: 'y', reference: null }, ['mesage']],
  [requests.SmsMessage, { to, message: 'x' }, []],
  [
    requests.WhatsappMessage,
    { to, type: 'image', media: { id: '1', captoin: 'x' }, extra: {} },
    ['media.captoin', 'extra'],
  ],
  [requests.OtpMessage, { to, brand: 'x', constructor: 1 }, ['constructor']],
])('of %# are named', (schema, body, names) => {
  const unknownFields = new Set<string>();
  parseBody(schema, { body, unknownFields });
  expect([...unknownFields]).toEqual(names);
});

it('of a request that is refused are named too', () => {
  const unknownFields = new Set<string>();
  expect(() => parseBody(requests.SmsMessage, { body: { tо: to }, unknownFields })).toThrow();
  expect([...unknownFields]).toEqual(['tо']);
});

it('of the rows of a bulk are named by their place', () => {
  const recipients = [to, { to, mesage: 'x' }, 5, null, { to, variables: { any: 1 } }];
  const unknownFields = new Set<string>();
  noteUnknownRowFields(unknownFields, recipients);
  expect([...unknownFields]).toEqual(['recipients[1].mesage']);
});
