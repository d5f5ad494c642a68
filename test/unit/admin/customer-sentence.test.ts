/** Support can send the sentence to a customer: it says what became of the message, for each state. */
import { expect, it } from '@jest/globals';
import { customerSentence } from '../../../bin/admin/customer-sentence.ts';
import { statuses } from '../../../shared/message/message.ts';

const message = {
  channel: 'sms' as const,
  recipient: '+447700900123',
  from: null,
  error: null,
  created_at: '2026-11-20T10:00:05.000Z',
  scheduled_at: null,
  sent_at: '2026-11-20T10:01:00.000Z',
  delivered_at: '2026-11-20T10:02:00.000Z',
  read_at: null,
};
const start = 'The SMS to +447700900123, accepted at 2026-11-20 10:00 UTC,';

it.each([
  [{ status: 'delivered' }, `${start} was delivered at 2026-11-20 10:02 UTC.`],
  [
    { status: 'sent' },
    `${start} was handed to the mobile network at 2026-11-20 10:01 UTC, which has not confirmed its delivery yet.`,
  ],
  [
    { status: 'failed', error: { code: 'invalid_recipient', message: null } },
    `${start} was not delivered: the recipient is not a number that messages can be sent to.`,
  ],
  [{ status: 'failed', error: { code: 'of_a_later_release', message: null } }, `${start} was not delivered.`],
  [
    { status: 'scheduled', scheduled_at: '2026-11-21T08:00:00.000Z' },
    `${start} will be sent at 2026-11-21 08:00 UTC.`,
  ],
  [
    { status: 'received', direction: 'inbound', from: '+447700900123' },
    'The SMS from +447700900123 arrived at 2026-11-20 10:00 UTC.',
  ],
] as const)('%j', (change, sentence) => {
  expect(customerSentence({ ...message, ...change })).toBe(sentence);
});

it.each(statuses)('%s has a sentence', (status) => {
  expect(customerSentence({ ...message, status })).toMatch(/^The SMS to \+447700900123, .+\.$/);
});
