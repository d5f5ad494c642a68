/** Unknown fields are found at any depth and named with the known name that was probably meant; a list refuses unknown parameters. */
import { describe, expect, it } from '@jest/globals';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { listMessagesQuery } from '../../../shared/message/list-own-messages.ts';
import { unknownRowFields } from '../../../shared/message/send/bulk-recipients.ts';
import { describeUnknown, unknownIn } from '../../../shared/operation/fields.ts';
import { parseQuery } from '../../../shared/operation/operation.ts';

const to = '+447700900123';
const unknown = (noun: string, name?: string) =>
  `There is no such ${noun}.${name === undefined ? '' : ` Did you mean ${name}?`}`;

describe('unknown fields', () => {
  it.each([
    [requests.SmsMessage, { to, message: 'x', mesage: 'y', reference: null }, ['mesage']],
    [requests.SmsMessage, { to, message: 'x' }, []],
    [requests.SmsMessage, { tо: to }, ['tо']],
    [
      requests.WhatsappMessage,
      { to, type: 'image', media: { id: '1', captoin: 'x' }, extra: {} },
      ['media.captoin', 'extra'],
    ],
    [requests.OtpMessage, { to, brand: 'x', constructor: 1 }, ['constructor']],
  ])('of %# are named', (schema, body, names) => {
    expect(describeUnknown(unknownIn(schema, body), 'field').map(({ field }) => field)).toEqual(names);
  });

  it('of the rows of a bulk are named by their place', () => {
    const rows = [to, { to, mesage: 'x' }, 5, null, { to, variables: { any: 1 } }];
    expect(describeUnknown(unknownRowFields(rows), 'field')).toEqual([
      { field: 'recipients[1].mesage', message: unknown('field', 'recipients[1].message') },
    ]);
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
    const found = unknownIn(requests.SmsMessage, { to, message: 'x', [field]: 1 });
    expect(describeUnknown(found, 'field')).toEqual([{ field, message: unknown('field', meant) }]);
  });
});

it('unknown parameters of a list are refused together with its other faults', () => {
  expect(() => parseQuery(listMessagesQuery, { query: { state: 'failed', since: 'x' } })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: [
        { field: 'state', message: unknown('parameter', 'status') },
        expect.objectContaining({ field: 'since' }),
      ],
    }),
  );
  expect(() => parseQuery(listMessagesQuery, { query: { status: 'failed' } })).not.toThrow();
});
