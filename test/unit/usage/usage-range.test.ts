import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { parseFields } from '../../../shared/operation/operation.ts';
import { adminUsageQuery, usageQuery, usageRange } from '../../../shared/usage/usage-query.ts';

const now = new Date('2026-11-20T10:30:00.000Z');

const rangeOf = (query: Record<string, unknown>) => usageRange(parseFields(usageQuery, query), now);
const namesOf = (query: Record<string, unknown>) => rangeOf(query).periods.map(({ name }) => name);

function faultOf(
  query: Record<string, unknown>,
  schema: typeof usageQuery | typeof adminUsageQuery = usageQuery,
): string | undefined {
  try {
    usageRange(parseFields(schema, query), now);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.details.map(({ field }) => field).join();
  }
}

describe('the times of a question about usage', () => {
  it('are the days of the current month by default', () => {
    const names = namesOf({});
    expect([names[0], names.at(-1), names.length]).toEqual(['2026-11-01', '2026-11-20', 20]);
  });

  it('are widened to whole intervals, the end exclusive', () => {
    const hours = { interval: 'hour', since: '2026-11-20T08:59:59Z', until: '2026-11-20T10:00:00Z' };
    expect(namesOf(hours)).toEqual(['2026-11-20T08', '2026-11-20T09']);
    const months = { interval: 'month', since: '2026-09-30T23:30:00-01:00', until: '2026-11-01T00:00:00Z' };
    expect(namesOf(months)).toEqual(['2026-10']);
    // The month of an `until` at the end of a month is that month.
    expect(namesOf({ until: '2026-03-01T00:00:00Z' })).toHaveLength(28);
    const [last] = rangeOf({
      interval: 'month',
      since: '2026-12-05T00:00:00Z',
      until: '2026-12-06T00:00:00Z',
    }).periods;
    expect([last?.from.toISOString(), last?.to.toISOString()]).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });

  it('are as many as one response may have, and not more', () => {
    expect(namesOf({ interval: 'hour', since: '2026-10-20T11:00:00Z' })).toHaveLength(744);
    expect(faultOf({ interval: 'hour', since: '2026-10-20T10:59:00Z' })).toBe('since');
    expect(namesOf({ since: '2025-10-17T00:00:00Z' })).toHaveLength(400);
    expect(faultOf({ since: '2025-10-16T23:00:00Z' })).toBe('since');
    expect(faultOf({ since: '2026-10-20T00:00:00Z', group_by: 'client' }, adminUsageQuery)).toBe('since');
  });

  it.each([
    [{ since: '2026-11-21T00:00:00Z' }, 'since'],
    [{ since: '2026-11-10T00:00:00Z', until: '2026-11-10T00:00:00Z' }, 'since'],
    [{ since: '2026-11-10' }, 'since'],
    [{ until: 'now' }, 'until'],
    [{ until: '0000-01-01T00:00:00+23:00' }, 'until'],
    [{ since: '9999-12-31T23:59:59-23:00' }, 'since'],
    [{ interval: 'week' }, 'interval'],
    [{ group_by: '' }, 'group_by'],
    [{ group_by: 'channel,' }, 'group_by'],
    [{ group_by: 'channel,channel' }, 'group_by'],
    [{ group_by: 'client' }, 'group_by'],
    [{ group_by: 'Channel', interval: 'minute' }, 'interval,group_by'],
  ])('%j is refused, naming %s', (query, field) => {
    expect(faultOf(query)).toBe(field);
  });
});
