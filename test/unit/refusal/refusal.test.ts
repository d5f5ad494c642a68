/** What is kept of a refusal has nothing of what the client sent. */
import { expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { isKept, withoutContent } from '../../../shared/http/record-refusals.ts';

it('neither numbers nor quoted values nor names of the caller are kept', () => {
  const error = new GatewayError('invalid_request', 'The sender "+44 7700 900123" is unknown.', {
    details: [
      { field: 'recipients[2].to', message: 'must be a number, not 07700 900123' },
      { field: 'my secret is 1', message: 'is “not” known' },
      { field: 'n447700900123', message: 'must have 160 characters or fewer' },
    ],
  });
  expect(withoutContent(error)).toEqual({
    message: 'The sender "…" is unknown.',
    details: [
      { field: 'recipients[2].to', message: 'must be a number, not …' },
      { field: '…', message: 'is "…" known' },
      { field: '…', message: 'must have 160 characters or fewer' },
    ],
  });
});

it('the examples of the gateway are kept as they are', () => {
  const messages = [
    'must be a date-time such as 2026-11-20T10:00:00Z',
    'must be a phone number in international format, such as +447700900123',
  ];
  const details = messages.map((message) => ({ field: 'scheduled_at', message }));
  const kept = withoutContent(new GatewayError('invalid_request', messages.join(' '), { details }));
  expect([kept.message, ...kept.details.map(({ message }) => message)]).toEqual([
    messages.join(' '),
    ...messages,
  ]);
});

it('many details and long texts are cut off', () => {
  const details = Array.from({ length: 1000 }, () => ({ field: 'to', message: 'x'.repeat(1000) }));
  const kept = withoutContent(new GatewayError('invalid_request', 'y'.repeat(1000), { details }));
  expect(JSON.stringify(kept).length).toBeLessThan(2000);
});

it.each([
  ['invalid_request', true],
  ['forbidden', true],
  ['spend_limit_reached', true],
  ['unauthorized', false],
  ['not_found', false],
  ['internal_error', false],
] as const)('%s is kept: %s', (code, kept) => {
  expect(isKept(new GatewayError(code, ''))).toBe(kept);
});
