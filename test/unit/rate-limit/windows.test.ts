import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { staleMinutes, windowNames, windowSeconds, windowsAt } from '../../../shared/limit/windows.ts';

const day = Date.parse('2026-11-20T00:00:00.000Z');
const minutesADay = 1440;

describe('windows', () => {
  it('hold the moment, end at a whole multiple of their length and never last longer', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (now) => {
        const { resetsAt } = windowsAt(now);
        for (const window of windowNames) {
          const start = resetsAt[window] - windowSeconds[window];
          expect(resetsAt[window] % windowSeconds[window]).toBe(0);
          expect(start * 1000).toBeLessThanOrEqual(now.getTime());
          expect(resetsAt[window] * 1000).toBeGreaterThan(now.getTime());
        }
      }),
    );
  });

  it('two moments share an attribute of a day exactly when they share the window', () => {
    const moment = fc.integer({ min: 0, max: 86_400_000 - 1 });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [one, other] = [windowsAt(new Date(day + a)), windowsAt(new Date(day + b))];
        for (const window of windowNames) {
          const shared = one.resetsAt[window] === other.resetsAt[window];
          expect(one.attributes[window] === other.attributes[window]).toBe(shared);
        }
      }),
    );
  });

  it('are named by the UTC day, hour and minute', () => {
    expect(windowsAt(new Date('2026-11-20T23:25:59.999Z'))).toMatchObject({
      day: '2026-11-20',
      attributes: { minute: 'm1405', hour: 'h23', day: 'd' },
    });
  });
});

describe('a counter row', () => {
  it('stays below 1 KB for any traffic of a day, whichever of two clocks 4 minutes apart each request has', () => {
    const request = fc.record({
      minute: fc.integer({ min: 0, max: minutesADay - 1 }),
      behindMinutes: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 1500, size: 'max' }), (requests) => {
        const row = new RowModel();
        for (const { minute, behindMinutes } of requests.toSorted((a, b) => a.minute - b.minute)) {
          row.count(Math.max(0, minute - behindMinutes));
        }
        expect(row.largestBytes).toBeLessThan(1024);
      }),
      { numRuns: 60 },
    );
  });

  it('stays below 1 KB in the worst pattern: runs of five minutes, 94 silent ones between', () => {
    for (let start = 0; start < 99; start += 1) {
      const row = new RowModel();
      for (let minute = start; minute < minutesADay; minute += 99) {
        for (let step = 0; step < 5 && minute + step < minutesADay; step += 1) row.count(minute + step);
      }
      expect(row.largestBytes).toBeLessThan(1024);
    }
  });

  it('never loses a minute that is at most 4 minutes past', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: minutesADay - 1 }),
        fc.integer({ min: -4, max: 4 }),
        (minute, apart) => {
          const counted = windowsAt(
            new Date(day + Math.min(minutesADay - 1, Math.max(0, minute + apart)) * 60_000),
          );
          expect(staleMinutes(minute)).not.toContain(counted.attributes.minute);
        },
      ),
    );
  });
});

/** The row as DynamoDB sizes it, with counts as large as they can become and the longest key. */
class RowModel {
  readonly #minutes = new Set<string>();
  readonly #hours = new Set<string>();
  largestBytes = 0;

  count(minuteOfDay: number): void {
    const { attributes } = windowsAt(new Date(day + minuteOfDay * 60_000));
    this.#minutes.add(attributes.minute);
    this.#hours.add(attributes.hour);
    for (const attribute of staleMinutes(minuteOfDay)) this.#minutes.delete(attribute);
    this.largestBytes = Math.max(this.largestBytes, this.#bytes());
  }

  /** A name's bytes, and for a number one byte for two digits and one more. */
  #bytes(): number {
    const key = 'counter'.length + 'client_0123456789abcdef|POST /api/v1/whatsapp/send|2026-11-20'.length;
    const minutes = this.#minutes.size * ('m1405'.length + numberBytes('30000'));
    const hours = this.#hours.size * ('h14'.length + numberBytes('1800000'));
    return (
      key + minutes + hours + 1 + numberBytes('43200000') + 'purge_at'.length + numberBytes('1795392000')
    );
  }
}

function numberBytes(digits: string): number {
  return Math.ceil(digits.length / 2) + 1;
}
