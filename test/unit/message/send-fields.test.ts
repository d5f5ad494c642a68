/** A request whose only fault is the time of a scheduled message is refused with the words of every other faulty field. */

import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { parseSend, scheduledAt } from '../../../shared/message/send/send-fields.ts';
import type { ApiRequest } from '../../../shared/operation/operation.ts';

const schema = z.object({ to: z.string(), scheduled_at: z.optional(scheduledAt) });
const now = new Date('2026-11-20T10:00:00.000Z');

function refusalOf(body: unknown): unknown {
  try {
    parseSend(schema, { body, now } as ApiRequest).assertTimely();
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
      message: expect.stringMatching(/^to: .*\. One more fault is in details\.$/),
      details: [{ field: 'to' }, tooNear],
    });
  });
});
