/** Fields that an operation does not know are found at any depth, named, and refused where the request wants that. */
import { describe, expect, it } from '@jest/globals';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { noteUnknownRowFields } from '../../../shared/message/send/bulk-recipients.ts';
import { parseBody } from '../../../shared/operation/operation.ts';
import {
  noteUnknownParameters,
  noUnknownFields,
  prefersStrict,
  unknownFieldErrors,
} from '../../../shared/operation/unknown-fields.ts';

const to = '+447700900123';
const strictly = () => ({ ...noUnknownFields(), strict: true });
const unknown = (name?: string) =>
  `There is no such field.${name === undefined ? '' : ` Did you mean ${name}?`}`;

describe('unknown fields', () => {
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
    const unknownFields = noUnknownFields();
    parseBody(schema, { body, unknownFields });
    expect([...unknownFields.found.keys()]).toEqual(names);
  });

  it('of a request that is refused are named too', () => {
    const unknownFields = noUnknownFields();
    expect(() => parseBody(requests.SmsMessage, { body: { tо: to }, unknownFields })).toThrow();
    expect([...unknownFields.found.keys()]).toEqual(['tо']);
  });

  it('of the rows of a bulk are named by their place', () => {
    const recipients = [to, { to, mesage: 'x' }, 5, null, { to, variables: { any: 1 } }];
    const unknownFields = noUnknownFields();
    noteUnknownRowFields(unknownFields, { recipients });
    expect(unknownFieldErrors(unknownFields)).toEqual([
      { field: 'recipients[1].mesage', message: unknown('recipients[1].message') },
    ]);
    for (const body of [undefined, null, 'x', {}, { recipients: 1 }])
      noteUnknownRowFields(unknownFields, body);
    expect(unknownFields.found.size).toBe(1);
  });

  it.each([
    ['send_at', 'scheduled_at'],
    ['sendAt', 'scheduled_at'],
    ['webhookUrl', 'webhook_url'],
    ['StatusCallback', 'webhook_url'],
    ['Body', 'message'],
    ['phone_number', 'to'],
    ['validity_perod', 'validity_period'],
    ['colour', undefined],
    ['x'.repeat(100_000), undefined],
  ])('come with the known name that was probably meant: %.20s', (field, meant) => {
    const unknownFields = noUnknownFields();
    parseBody(requests.SmsMessage, { body: { to, message: 'x', [field]: 1 }, unknownFields });
    expect(unknownFieldErrors(unknownFields)).toEqual([{ field, message: unknown(meant) }]);
  });

  it('are refused together with the other faults where the request wants that', () => {
    const body = { to: 'x', mesage: 'y' };
    expect(() => parseBody(requests.SmsMessage, { body, unknownFields: strictly() })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [
          { field: 'mesage', message: unknown('message') },
          expect.objectContaining({ field: 'to' }),
          { field: 'message', message: 'This field is required.' },
        ],
      }),
    );
    const valid = { to, message: 'x', mesage: 'y' };
    expect(() => parseBody(requests.SmsMessage, { body: valid, unknownFields: strictly() })).toThrow();
    expect(() =>
      parseBody(requests.SmsMessage, { body: { to, message: 'x' }, unknownFields: strictly() }),
    ).not.toThrow();
  });

  it('of the query are refused or ignored in the same way', () => {
    const known = ['status', 'since'];
    const unknownFields = noUnknownFields();
    noteUnknownParameters(unknownFields, { state: 'failed', since: 'x' }, known);
    expect(unknownFieldErrors(unknownFields)).toEqual([{ field: 'state', message: unknown('status') }]);
    expect(() => noteUnknownParameters(strictly(), { state: 'failed' }, known)).toThrow();
    expect(() => noteUnknownParameters(strictly(), { status: 'failed' }, known)).not.toThrow();
  });
});

it.each([
  ['handling=strict', true],
  ['Handling = "strict"; x=1', true],
  ['respond-async, handling=strict', true],
  ['handling=lenient, handling=strict', false],
  ['handling=strictly', false],
  ['handling', false],
  ['strict', false],
  ['', false],
  [undefined, false],
])('Prefer: %s wants them to be refused: %s', (prefer, strict) => {
  expect(prefersStrict(prefer)).toBe(strict);
});
