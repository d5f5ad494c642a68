/** How the dashboard shows values, and what its forms send. */
import { describe, expect, it } from '@jest/globals';
import { ApiError, fieldError, formError } from '../../../dashboard/api/api-error.ts';
import { changedFields } from '../../../dashboard/components/changed-fields.ts';
import { stepsOf, timesAt } from '../../../dashboard/components/usage-period.ts';
import { durationText, numberText, percent, valueText } from '../../../dashboard/value-names.ts';
import { limitFault } from '../../../shared/limit/entered-limits.ts';
import { summaryOf } from '../../../shared/message/message-summary.ts';

describe('a form of a row', () => {
  const before = { pace: '5', note: 'until Friday', identity: 'ACME' };
  const sent = (values: Partial<typeof before>) =>
    changedFields(before, { ...before, ...values }, (name) => name === 'pace');

  it('sends what has another value, numbers as numbers, and null for what was emptied', () => {
    expect(sent({})).toEqual({});
    expect(sent({ pace: ' 7.5 ', note: '', identity: 'ACME ' })).toEqual({ pace: 7.5, note: null });
  });

  it.each(['7,5', 'ten', '1e999'])(
    'sends %s as it is, so that it is refused and does not remove the value',
    (pace) => {
      expect(JSON.parse(JSON.stringify(sent({ pace })))).toEqual({ pace });
    },
  );
});

describe('values', () => {
  it('numbers are as in the texts of the gateway, in any language of the browser', () => {
    expect(numberText(1_234_567.5)).toBe('1,234,567.5');
  });

  it('a changed value is text, also where it is a list or holds others', () => {
    expect(valueText(null)).toBe('none');
    expect(valueText(1000)).toBe('1,000');
    expect(valueText(['GB', 'FR'])).toBe('GB, FR');
    expect(valueText({ queue_arn: 'arn:q', role_arn: 'arn:r' })).toBe('arn:q, arn:r');
  });

  it.each([
    [{ text: 'Hello' }, 'Hello'],
    [{ whatsapp: { type: 'image', media: { id: '1', caption: 'My door' } } }, 'Image: My door'],
    [{ whatsapp: { type: 'location', location: { latitude: 51.5, name: 'Home' } } }, 'Location: Home'],
    [{ whatsapp: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } }, 'Button reply: Yes'],
    [{ whatsapp: { type: 'list_reply', list_reply: { id: 'l', title: 'Noon' } } }, 'List reply: Noon'],
    [{ whatsapp: { type: 'template', template: { name: 'parcel' } } }, 'Template: parcel'],
    [{ whatsapp: { type: 'reaction', reaction: {} } }, 'Reaction'],
    [{ whatsapp: { type: 'unsupported' } }, 'A type that WhatsApp does not forward'],
  ])('the content %j is one line', (content, line) => {
    expect(summaryOf(content)).toBe(line);
  });

  it('shares and durations are short', () => {
    expect([percent(0.1234), percent(1), percent(null)]).toEqual(['12.3 %', '100 %', '–']);
    expect([90, 119, 7140, 7200].map(durationText)).toEqual(['90 s', '119 s', '119 min', '2 h 0 min']);
  });
});

describe('a period of the usage', () => {
  const of = (period: Parameters<typeof timesAt>[0], now: string) => {
    const times = timesAt(period, new Date(now));
    return [times.since.toISOString(), times.until.toISOString(), stepsOf(times).length];
  };

  it('is a UTC day, by hours', () => {
    expect(of('today', '2026-11-22T23:59:59Z')).toEqual([
      '2026-11-22T00:00:00.000Z',
      '2026-11-23T00:00:00.000Z',
      24,
    ]);
  });

  it('is a week from Monday, also on a Sunday and over the end of a month', () => {
    const week = ['2026-11-30T00:00:00.000Z', '2026-12-07T00:00:00.000Z', 7];
    expect(of('week', '2026-11-30T00:00:00Z')).toEqual(week);
    expect(of('week', '2026-12-06T23:59:59Z')).toEqual(week);
  });

  it('is a month of as many days as it has, also the one before January', () => {
    expect(of('month', '2028-02-10T10:00:00Z')[2]).toBe(29);
    expect(of('last_month', '2027-01-31T10:00:00Z')).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
      31,
    ]);
  });
});

describe('a limit', () => {
  const faultOf = (cap: 'messages' | 'spend' | null) => (text: string) => limitFault({ cap }, text);

  it.each(['', ' 600 ', '1,000', '1,000,000,000', '1000000000'])(
    'of requests or messages may be %j',
    (text) => {
      expect([null, 'messages' as const].map((cap) => faultOf(cap)(text))).toEqual([undefined, undefined]);
    },
  );

  it.each(['0', '-1', '1,00', '1.000', '7.5', '1e9', '1000000001', 'ten'])(
    'of requests or messages is not %j',
    (text) => {
      expect(faultOf(null)(text)).toMatch(/whole number from 1 to 1,000,000,000/);
      expect(faultOf('messages')(text)).toMatch(/whole number/);
    },
  );

  it.each(['', '1000', '250.50', '0.125', '1.0000', '1234.567'])('of spend may be %j', (text) => {
    expect(faultOf('spend')(text)).toBeUndefined();
  });

  it.each(['0', '0.00', '1,000', '12,5', '1e3', '1.', 'ten'])('of spend is not %j', (text) => {
    expect(faultOf('spend')(text)).toMatch(/amount above 0/);
  });

  it('of spend is not what is a thousand in one language and 1 in another', () => {
    expect(faultOf('spend')('1.000')).toBe('Enter 1000 or 1.0000: the point is the decimal point.');
    expect(faultOf('spend')('12.500')).toMatch(/Enter 12500 or 12.5000/);
  });
});

describe('a refused form', () => {
  const refusal = new ApiError(400, 'webhook_url: must be an https URL. See details for one more error.', [
    { field: 'webhook_url', message: 'must be an https URL' },
    { field: 'countries[1]', message: 'is no country' },
  ]);

  it('has each error at its field, with the number of the item in a list', () => {
    expect(fieldError(refusal, 'webhook_url')).toBe('Must be an https URL.');
    expect(fieldError(refusal, 'countries')).toBe('Number 2 is no country.');
    expect(fieldError(refusal, 'name')).toBeUndefined();
    expect(formError(refusal, ['name', 'countries'])).toBeUndefined();
  });

  it('has the error of the whole where none of its fields shows it', () => {
    expect(formError(refusal, ['name'])).toBe(
      'Webhook URL must be an https URL. Countries[1] is no country.',
    );
    expect(formError(new Error('No connection.'), ['name'])).toBe('No connection.');
    expect(formError(null, ['name'])).toBeUndefined();
  });
});
