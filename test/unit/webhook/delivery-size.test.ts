import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { type Attempt, startOf } from '../../../shared/webhook/attempt-record.ts';
import {
  acknowledged,
  alerted,
  claimDelivery,
  type Delivery,
  deliverySchema,
  failedAttempt,
  newDelivery,
  resendDue,
} from '../../../shared/webhook/delivery.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';

const rowBytesMax = 300_000;
const now = new Date('2026-11-20T10:00:00.000Z');

/** The types of DynamoDB that a row has. */
interface Marshalled {
  readonly S?: string;
  readonly N?: string;
  readonly L?: readonly Marshalled[];
  readonly M?: Readonly<Record<string, Marshalled>>;
}

/** As DynamoDB counts an item: names and values, 1 byte more for each element and 3 for each list and map. */
function sizeOf(value: Marshalled): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 2;
  if (value.L !== undefined) return 3 + value.L.reduce((sum, one) => sum + 1 + sizeOf(one), 0);
  if (value.M !== undefined) return 3 + entriesSize(value.M);
  return 1;
}
function entriesSize(map: Readonly<Record<string, Marshalled>>): number {
  return Object.entries(map).reduce((sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + sizeOf(one), 0);
}
const rowSize = (delivery: Delivery) =>
  entriesSize(
    marshall({ ...delivery }, { removeUndefinedValues: true }) as Readonly<Record<string, Marshalled>>,
  );

function delivery(url: string, body: string): Delivery {
  const ids = { delivery_id: 'whd_1', client_id: 'client_1', message_id: 'msg_1', event: 'sms.sent' };
  return newDelivery({ ...ids, url, body }, now, 30, 'r');
}

function attempt(number: number, filled: Partial<Attempt>): Attempt {
  const time = now.toISOString();
  return {
    number,
    trigger: 'automatic',
    due_at: time,
    started_at: time,
    ended_at: time,
    lateness_ms: 0,
    total_ms: 5000,
    reused_connection: false,
    request_headers: {},
    response_headers: {},
    response_body: '',
    error: 'not_200',
    ...filled,
  };
}

/** The parts of an attempt that an endpoint controls. */
const unit = fc.constantFrom('a', 'é', '\uFFFD', '\u0001', '\uFFFF', '👋', '"', '\\');
const text = (max: number) =>
  fc.tuple(unit, fc.integer({ min: 0, max })).map(([one, times]) => one.repeat(times));
const headers = fc
  .tuple(fc.integer({ min: 0, max: 40 }), text(400), text(256))
  .map(([count, name, value]) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}${name}`, value])),
  );
const filling = fc.record({
  request_headers: headers,
  response_headers: headers,
  response_body: text(16_384),
  error_message: text(500),
});

/** One failed attempt: claimed, alerted if it was the last, and resent manually. */
function tryConditionalWrite(before: Delivery, filled: Partial<Attempt>): Delivery[] {
  const held = claimDelivery(before, now, 'r');
  const failed = failedAttempt(held, attempt(held.attempt_number, filled), 1, 'r');
  if (failed.state !== 'failed') return [held, failed];
  const told = alerted(failed, 'r');
  return [held, failed, told, resendDue(told, addSeconds(now, 60), 'r')];
}

describe('the row of a delivery', () => {
  it('stays below 300 KB, for any responses and any number of resends', () => {
    fc.assert(
      fc.property(fc.array(filling, { minLength: 1, maxLength: 3 }), text(2000), (fillings, body) => {
        let row = delivery(`https://a.example/${'é'.repeat(2000)}`, body);
        for (let n = 0; n < 30; n += 1) {
          const steps = tryConditionalWrite(row, fillings[n % fillings.length] ?? {});
          for (const step of steps) expect(rowSize(step)).toBeLessThan(rowBytesMax);
          row = steps.at(-1) as Delivery;
          expect(row.attempts.at(-1)?.number).toBe(n + 1);
          expect(deliverySchema.parse(row)).toEqual(row);
        }
        expect(row.attempt_number).toBe(31);
        expect(row.attempts).toHaveLength(20);
        expect(row.attempts.map(({ number }) => number)).toEqual(
          Array.from({ length: 20 }, (_, n) => n + 11),
        );
      }),
      { numRuns: Math.ceil(runs.numRuns * 0.06) },
    );
  });

  it('keeps the newest attempts in full, and marks the shortened ones', () => {
    const filled = {
      response_body: '👋'.repeat(1024),
      response_headers: { a: 'b'.repeat(4000) },
      error_message: 'no',
    };
    let row = delivery('https://a.example/', '{}');
    for (let n = 0; n < 40; n += 1)
      row = tryConditionalWrite(row, { ...filled, request_headers: filled.response_headers }).at(
        -1,
      ) as Delivery;
    const newest = row.attempts.at(-1);
    expect(newest).toMatchObject({ number: 40, ...filled });
    expect(newest).not.toHaveProperty('shortened');
    expect(row.attempts[0]).toMatchObject({ number: 21, shortened: true, response_headers: {} });
  });

  it('can be finished even if it has reached the maximum size of an item', () => {
    const large = { response_body: '\uFFFD'.repeat(4096), response_headers: { a: 'x'.repeat(18_000) } };
    const attempts = Array.from({ length: 13 }, (_, n) => attempt(n + 1, large));
    const grown: Delivery = { ...delivery('https://a.example/', '{}'), attempt_number: 14, attempts };
    expect(rowSize(grown)).toBeGreaterThan(390_000);
    const held = claimDelivery(grown, now, 'r');
    expect(rowSize(held)).toBeLessThan(rowBytesMax);
    const done = acknowledged(held, attempt(14, large), 'r');
    expect(rowSize(done)).toBeLessThan(rowBytesMax);
    expect(done.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 14 }, (_, n) => n + 1));
  });
});

describe('the start of a text', () => {
  it('is as long as possible without splitting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 0, max: 40 }), (whole, maxBytes) => {
        const start = startOf(whole, maxBytes);
        expect(whole.startsWith(start)).toBe(true);
        expect(Buffer.byteLength(start)).toBeLessThanOrEqual(maxBytes);
        expect(start.isWellFormed()).toBe(true);
        const next = String.fromCodePoint(whole.codePointAt(start.length) ?? 0);
        if (start !== whole) expect(Buffer.byteLength(start + next)).toBeGreaterThan(maxBytes);
      }),
    );
  });
});
