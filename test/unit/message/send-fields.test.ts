/** Refusals of a send name all its faulty fields, also a time of a scheduled message that is too near. */

import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { parseSend, scheduledAt } from '../../../shared/message/send/send-fields.ts';
import { sendSmsSchema } from '../../../shared/message/send/sms-send.ts';
import type { ApiRequest } from '../../../shared/operation/operation.ts';

const schema = z.object({ to: z.string(), scheduled_at: z.optional(scheduledAt) });
const now = new Date('2026-11-20T10:00:00.000Z');

function refusalOf(body: unknown, of: Parameters<typeof parseSend>[0] = schema): unknown {
  try {
    parseSend(of, { body, now } as ApiRequest).assertTimely();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a scheduled_at that is too near', () => {
  const tooNear = { field: 'scheduled_at', message: 'must be from 1 minute to 180 days ahead' };

  it('is refused alone', () => {
    expect(refusalOf({ to: 'a', scheduled_at: now.toISOString() })).toMatchObject({
      message: 'scheduled_at: must be from 1 minute to 180 days ahead.',
      details: [tooNear],
    });
  });

  it('is named with the other faulty fields', () => {
    expect(refusalOf({ to: 1, scheduled_at: now.toISOString() })).toMatchObject({
      message: expect.stringMatching(/^to: .*\. See details for one more error\.$/),
      details: [{ field: 'to' }, tooNear],
    });
  });
});

const sms = { to: '+447700900123', message: 'x' };

it.each<[string, object, string[]]>([
  ['no field at all', { to: undefined, message: undefined }, ['to', 'message']],
  [
    'wrong types',
    { to: 44, message: ['x'], validity_period: '60', reference: 7 },
    ['to', 'message', 'validity_period', 'reference'],
  ],
  ['no number', { to: '07700900123' }, ['to']],
  ['a number too short for its country', { to: '+4477009' }, ['to']],
  ['no text', { message: '' }, ['message']],
  ['1,601 characters', { message: 'x'.repeat(1601) }, ['message']],
  ['a sender of digits alone', { from: '12345' }, ['from']],
  ['a sender of 12 letters', { from: 'ABCDEFGHIJKL' }, ['from']],
  ['a wrong type', { type: 'spam' }, ['type']],
  ['a validity of 4 s', { validity_period: 4 }, ['validity_period']],
  ['a validity of 3 days and a second', { validity_period: 259_201 }, ['validity_period']],
  ['a reference of 129 characters', { reference: 'r'.repeat(129) }, ['reference']],
  ['a time in words', { to: '1', scheduled_at: 'soon' }, ['to', 'scheduled_at']],
  ['a time too far ahead', { scheduled_at: '2027-05-20T10:00:00.000Z' }, ['scheduled_at']],
])('an SMS with %s is refused with its faulty fields', (_what, change, fields) => {
  expect(refusalOf({ ...sms, ...change }, sendSmsSchema(z.string()))).toMatchObject({
    details: fields.map((field) => ({ field })),
  });
});

it('an SMS of 1,600 characters is accepted', () => {
  expect(refusalOf({ ...sms, message: '😀'.repeat(1600) }, sendSmsSchema(z.string()))).toBeUndefined();
});
