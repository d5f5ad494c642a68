import { describe, expect, it } from '@jest/globals';
import type { EditedRow } from '../../../../shared/edited-table/row-editor.dynamo.ts';
import { type FeedbackContext, feedbackOf } from '../../../../shared/limit/limit-feedback.ts';
import { parseRow } from '../../../../shared/limit/overrides.ts';

const now = new Date('2026-11-20T12:00:05.321Z');
const endpoint = 'POST /api/v1/sms/send';
const key = { client_id: 'client_1', endpoint };

function feedback(row: EditedRow, context: Partial<FeedbackContext> = {}) {
  return feedbackOf(row, {
    now,
    clientExists: true,
    forEveryClient: undefined,
    capDefaults: {},
    currency: 'EUR',
    ...context,
  });
}

describe('the feedback for a row', () => {
  it('says what is in force, since when, and which window is reached first', () => {
    expect(feedback({ ...key, per_minute: 600, per_day: 200_000 })).toEqual({
      status: 'active',
      status_message:
        'Active since 12:00:05: 600 per minute, 1,000 per hour (default), 200,000 per day. The hourly limit is reached after 100 s at full rate.',
    });
  });

  it('says that a higher number counts as the highest limit', () => {
    expect(feedback({ ...key, per_minute: 90_000, per_hour: 9_000_000, per_day: 9_000_000 })).toEqual({
      status: 'active',
      status_message:
        'Active since 12:00:05: 30,000 per minute, 9,000,000 per hour, 9,000,000 per day. The daily limit is reached after 5 h at full rate. per_minute: 90000 counts as 30,000, the highest limit per minute.',
    });
  });

  it('says what is wrong and how to correct it', () => {
    expect(feedback({ ...key, per_minute: 0 })).toEqual({
      status: 'invalid',
      status_message: 'per_minute: 0 is not a valid limit. To block this endpoint, set blocked to true.',
    });
  });

  it('of a row that is valid in part says that the rest applies', () => {
    expect(feedback({ ...key, per_minute: 'many', per_hour: 2000, per_day: 5000 })).toEqual({
      status: 'invalid',
      status_message:
        'per_minute: "many" is not a valid limit. Write a whole number of 1 or more, such as 600 or 1,000. The rest of the row applies since 12:00:05: 60 per minute (default), 2,000 per hour, 5,000 per day. The hourly limit is reached after 33 min 20 s at full rate.',
    });
  });

  it.each([
    [
      'a misspelled attribute',
      { per_mintue: 5 },
      /per_mintue: there is no such attribute\. Did you mean per_minute\?/,
    ],
    ['another spelling', { PerMinute: 5 }, /PerMinute: .* Did you mean per_minute\?/],
    ['a hyphen', { 'per-hour': 5 }, /"per-hour": .* Did you mean per_hour\?/],
    ['half a name', { minute: 5 }, /minute: .* Did you mean per_minute\?/],
    ['expires', { expires: '2026-11-30' }, /expires: .* Did you mean expires_at\?/],
    ['expiry', { expiry: '2026-11-30' }, /expiry: .* Did you mean expires_at\?/],
    ['block', { block: true }, /block: .* Did you mean blocked\?/],
    ['a limit that there is not', { per_second: 5 }, /per_second: there is no such/],
    ['notes', { Notes: 'x' }, /Notes: .* Did you mean note\?/],
  ])('reports %s with the closest valid name', (_what, typed, message) => {
    const { status, status_message } = feedback({ ...key, per_day: 5000, ...typed });
    expect(status).toBe('invalid');
    expect(status_message).toMatch(message);
    expect(status_message).toContain('The rest of the row applies since 12:00:05: 60 per minute (default)');
  });

  it.each([
    { owner: 'ops' },
    { ticket: 'OPS-12' },
    { team: 'shop' },
    { created_by: 'me' },
    { reason: 'sale' },
  ])('leaves an attribute of another meaning alone: %j', (typed) =>
    expect(feedback({ ...key, per_day: 5, ...typed }).status).toBe('active'),
  );

  it.each([
    ['POST /api/v1/sms/sned', 'POST /api/v1/sms/send'],
    ['POST /api/v1/sms/send ', 'POST /api/v1/sms/send'],
    ['post /api/v1/whatsap/send', 'POST /api/v1/whatsapp/send'],
    ['POST /api/v1/sms/status/*', 'GET /api/v1/sms/status/*'],
    ['GET /api/v1/sms/status', 'GET /api/v1/sms/status/*'],
    ['otp_verify', 'POST /api/v1/otp/verify'],
    ['/api/v1/auth/token', 'POST /api/v1/auth/token'],
    ['message', 'messages'],
    ['Spend', 'spend'],
  ])('of a row for the unknown endpoint %p names the closest one', (typed, meant) => {
    expect(feedback({ ...key, endpoint: typed, per_minute: 5 })).toEqual({
      status: 'invalid',
      status_message: `endpoint: there is no endpoint ${JSON.stringify(typed)}, so the row has no effect. Did you mean "${meant}"?`,
    });
  });

  it('of a row for an endpoint like no other names all', () => {
    expect(feedback({ ...key, endpoint: 'everything' }).status_message).toMatch(
      /Valid are: POST .*, spend\.$/,
    );
  });

  it('says that there is no such client', () => {
    expect(feedback({ ...key, per_minute: 5 }, { clientExists: false })).toEqual({
      status: 'invalid',
      status_message: 'client_id: there is no client "client_1", so the row has no effect.',
    });
  });

  it('says that an endpoint is blocked, and until when', () => {
    expect(feedback({ ...key, blocked: true, expires_at: '2026-11-30T18:00Z' })).toEqual({
      status: 'active',
      status_message:
        'Active since 12:00:05: blocked. Requests to this endpoint are refused with 403 forbidden. It expires at 2026-11-30T18:00:00Z.',
    });
  });

  it('says what a row observes, and what holds without it', () => {
    const row = { ...key, mode: 'observe', per_minute: 5, per_day: 900 };
    expect(feedback(row)).toEqual({
      status: 'active',
      status_message:
        'Active since 12:00:05: observes 5 per minute, 900 per day, and refuses nothing. Now in force: 60 per minute (default), 1,000 per hour (default), 10,000 per day (default). The hourly limit is reached after 16 min 40 s at full rate.',
    });
    const forEveryClient = parseRow({ ...key, client_id: '*', per_minute: 7 });
    expect(feedback({ ...row, blocked: true }, { forEveryClient }).status_message).toMatch(
      'observes a block, and refuses nothing. Now in force, by the row of client_id *: 7 per minute, ',
    );
  });

  it('says for whom the row of * is', () => {
    expect(feedback({ ...key, client_id: '*', per_day: 900 }).status_message).toBe(
      'Active since 12:00:05: 60 per minute (default), 1,000 per hour (default), 900 per day. The daily limit is reached after 15 min at full rate. It applies to every client that has no row of its own for this endpoint.',
    );
  });

  it('of a row that has expired says what holds instead: the row of *, or the defaults', () => {
    const row = { ...key, per_minute: 5, expires_at: '2026-11-20T12:00:05.321Z' };
    const forEveryClient = parseRow({ ...key, client_id: '*', per_minute: 7 });
    const expired = 'Expired at 2026-11-20T12:00:05.321Z: the row has no effect.';
    const rest = '1,000 per hour (default), 10,000 per day (default). The hourly limit is reached after';
    expect(feedback(row)).toEqual({
      status: 'expired',
      status_message: `${expired} Now in force: 60 per minute (default), ${rest} 16 min 40 s at full rate.`,
    });
    expect(feedback(row, { forEveryClient }).status_message).toMatch(
      `${expired} Now in force, by the row of client_id *: 7 per minute, `,
    );
  });

  it('shows caps, with the defaults of the stage', () => {
    const capDefaults = { spend: { per_day: 100_000_000, per_month: 1_000_000_000 } };
    expect(feedback({ ...key, endpoint: 'spend', per_day: 12.5 }, { capDefaults }).status_message).toBe(
      'Active since 12:00:05: 12.5 EUR per day, 1,000 EUR per month (default). At full rate, only the daily limit is reached.',
    );
    expect(feedback({ ...key, endpoint: 'messages', per_day: 5 }).status_message).toBe(
      'Active since 12:00:05: 5 per day.',
    );
    expect(feedback({ ...key, endpoint: 'messages' }).status_message).toBe(
      'Active since 12:00:05: no limit.',
    );
  });

  it('keeps its time while it says the same, and has a new one when it says something else', () => {
    const row = { ...key, per_minute: 5 };
    const later = new Date('2026-11-21T08:00:00Z');
    const first = feedback(row);
    expect(feedback({ ...row, note: 'x', ...first }, { now: later })).toEqual(first);
    expect(feedback({ ...row, per_minute: 6, ...first }, { now: later }).status_message).toMatch(
      /^Active since 08:00:00: 6 per minute/,
    );
    expect(feedback({ ...row, ...first, status: 'ok' }, { now: later }).status_message).toMatch(
      /since 08:00:00/,
    );
  });
});
