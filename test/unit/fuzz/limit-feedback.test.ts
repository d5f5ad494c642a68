/** The feedback in a row promises what the limiter does: whatever is typed into the row, there is never a difference. */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limitPolicies, policies, type StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { amountOf } from '../../../shared/limit/cap-notices.ts';
import { capDefaults, capLimits } from '../../../shared/limit/client-caps.ts';
import { feedbackOf } from '../../../shared/limit/limit-feedback.ts';
import { checkRate } from '../../../shared/limit/limiter.ts';
import { capsInRows, limitsOf, parseRow } from '../../../shared/limit/overrides.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { runs } from '../../fuzz/runs.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';

const midnight = new Date('2026-11-20T00:00:00.000Z');
const clientId = 'client_1';

const junk = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    '',
    'many',
    '10,000',
    '1e3',
    1.5,
    null,
    true,
    [1],
    2 ** 60,
    '0',
    ' 7 ',
    'true',
    'yes',
  ),
  fc.string({ maxLength: 5 }),
);
const limit = (max: number) => fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max }) }, junk);
const rowContent = fc.record(
  {
    per_minute: limit(12),
    per_hour: limit(200),
    per_day: limit(3000),
    per_month: junk,
    blocked: fc.oneof(fc.boolean(), junk),
    expires_at: fc.oneof(
      fc.integer({ min: -7200, max: 90_000 }).map((seconds) => addSeconds(midnight, seconds).toISOString()),
      fc.integer({ min: -7200, max: 90_000 }).map((seconds) => midnight.getTime() / 1000 + seconds),
      junk,
    ),
    per_mintue: junk,
    note: junk,
  },
  { requiredKeys: [] },
);
const endpoint = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...limitPolicies.map((policy) => policies[policy].endpoint)) },
  fc.constantFrom('POST /api/v1/sms/sned', 'sms_send', 'ANY /*'),
);

const feedbackContext = {
  clientExists: true,
  forEveryClient: undefined,
  capDefaults: {},
  currency: 'EUR',
};
const capRow = fc.record(
  {
    per_minute: limit(500),
    per_hour: limit(500),
    per_day: fc.oneof(limit(500), fc.double({ min: 1e-6, max: 1e9, noNaN: true })),
    per_month: fc.oneof(
      limit(500),
      fc.integer({ min: 1, max: 1e9 }).map((millionths) => millionths / 1e6),
    ),
    blocked: fc.oneof(fc.boolean(), junk),
    expires_at: fc
      .integer({ min: -7200, max: 7200 })
      .map((seconds) => addSeconds(midnight, seconds).toISOString()),
    note: junk,
  },
  { requiredKeys: [] },
);
const stage: StageCaps = { messages: { perHour: 77 }, spend: { perDay: 100.5, perMonth: 1000 } };

/** What a feedback promises of a cap, read from its text: the limit of each window, in units. */
function promisedCaps(message: string, currency: string): Record<string, number> {
  const [, inForce = ''] = /(?:since [\d:]+|Now in force[^:]*): (.*)/.exec(message) ?? [];
  const found = inForce.matchAll(new RegExp(`([\\d.,]+)${currency} per (minute|hour|day|month)`, 'g'));
  return Object.fromEntries(
    [...found].map(([, amount = '', window = '']) => [window, Number(amount.replaceAll(',', ''))]),
  );
}

/** What a feedback promises, read from its text. */
function promised(message: string, defaults: readonly number[]) {
  if (message.includes('blocked. Requests')) return { blocked: true };
  const numbers = ['minute', 'hour', 'day'].map((window) => {
    const [, count] = new RegExp(`([\\d,]+) per ${window}[ ,.]`).exec(message) ?? [];
    return count === undefined ? undefined : Number(count.replaceAll(',', ''));
  });
  const limits = numbers.every((number) => number === undefined) ? defaults : numbers;
  const [, window, duration = ''] =
    /The (\w+) limit is reached after ([\w ]+?) at full rate/.exec(message) ?? [];
  return { blocked: false, limits, window, seconds: window === undefined ? undefined : secondsIn(duration) };
}

function secondsIn(duration: string): number {
  const units: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };
  return [...duration.matchAll(/(\d+) (\w+)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? Number.NaN),
    0,
  );
}

/** The row in a form that the SDK writes: it refuses a number that is not exact. */
function writable(row: EditedRow): EditedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' && value > Number.MAX_SAFE_INTEGER ? BigInt(value) : value,
    ]),
  );
}

/** A process whose table has these rows. */
async function contextWith(now: Date | (() => Date), ...rows: readonly (EditedRow | undefined)[]) {
  const tables = inMemoryTables();
  const stored = rows.filter((row) => row !== undefined).map(writable);
  await writeRows(tables.dynamo, tables.names.limit_overrides, stored);
  return testContext(tables, { clock: typeof now === 'function' ? now : () => now });
}

describe('the feedback and the limiter', () => {
  it('agree on every limit, on blocking, on expiry, and on the row of *', async () => {
    await fc.assert(
      fc.asyncProperty(
        endpoint,
        rowContent,
        fc.option(rowContent),
        fc.nat(89_999),
        async (name, own, all, at) => {
          const now = addSeconds(midnight, at);
          const row: EditedRow = { client_id: clientId, endpoint: name, ...own };
          const forAll = all === null ? undefined : { client_id: '*', endpoint: name, ...all };
          const { status, status_message } = feedbackOf(row, {
            now,
            clientExists: true,
            forEveryClient: forAll === undefined ? undefined : parseRow(forAll),
            capDefaults: {},
            currency: 'EUR',
          });
          const policy = limitPolicies.find((candidate) => policies[candidate].endpoint === name);
          if (policy === undefined) {
            expect(status).toBe('invalid');
            return;
          }
          const limits = await limitsOf(await contextWith(now, row, forAll), clientId, policy);
          const { perMinute, perHour, perDay } = policies[policy];
          const promise = promised(status_message, [perMinute, perHour, perDay]);
          expect(promise.blocked).toBe(limits.blocked === true);
          if (!promise.blocked) {
            expect(promise.limits).toEqual([limits.perMinute, limits.perHour, limits.perDay]);
          }
          if (status === 'active') expect(parseRow(row).ignored).toEqual([]);
        },
      ),
      runs,
    );
  });

  it('agree on the row of * for a client without a row of its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...limitPolicies),
        rowContent,
        fc.nat(89_999),
        async (policy, all, at) => {
          const now = addSeconds(midnight, at);
          const { endpoint, perMinute, perHour, perDay } = policies[policy];
          const row: EditedRow = { client_id: '*', endpoint, ...all };
          const limits = await limitsOf(await contextWith(now, row), clientId, policy);
          const { status_message } = feedbackOf(row, { ...feedbackContext, now });
          const promise = promised(status_message, [perMinute, perHour, perDay]);
          expect(promise.blocked).toBe(limits.blocked === true);
          if (!promise.blocked)
            expect(promise.limits).toEqual([limits.perMinute, limits.perHour, limits.perDay]);
        },
      ),
      runs,
    );
  });

  it('agree on every cap, with the caps of the stage, on expiry, and on the row of *', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('messages' as const, 'spend' as const),
        fc.option(capRow),
        capRow,
        fc.boolean(),
        async (cap, all, content, isForAll) => {
          const forAll = all === null ? undefined : { client_id: '*', endpoint: cap, ...all };
          const row = { client_id: isForAll ? '*' : clientId, endpoint: cap, ...content };
          const rows: EditedRow[] = isForAll || forAll === undefined ? [row] : [row, forAll];
          const { status_message } = feedbackOf(row, {
            ...feedbackContext,
            now: midnight,
            forEveryClient: forAll === undefined ? undefined : parseRow(forAll),
            capDefaults: capDefaults(stage),
          });
          const own = await capsInRows(await contextWith(midnight, ...rows), clientId);
          const held = capLimits(own, stage).filter((one) => one.cap === cap);
          const limits = held.map(({ window, limit }) => [window, amountOf(cap, limit)]);
          const promise = promisedCaps(status_message, cap === 'spend' ? ' EUR' : '');
          // A row without any effect is told what is wrong with it, and leaves what there is.
          const isTold = Object.keys(promise).length > 0 || status_message.includes('no limit.');
          expect(isTold ? promise : Object.fromEntries(limits)).toEqual(Object.fromEntries(limits));
          if (!isTold) expect(parseRow(row).limits).toEqual({});
        },
      ),
      runs,
    );
  });

  it('agree on the window that refuses first, and when, for a client that always uses its full rate', async () => {
    const typed = fc.record({
      per_minute: fc.integer({ min: 1, max: 6 }),
      per_hour: fc.integer({ min: 1, max: 400 }),
      per_day: fc.integer({ min: 1, max: 9000 }),
    });
    await fc.assert(
      fc.asyncProperty(typed, async (own) => {
        const row = { client_id: clientId, endpoint: policies.sms_send.endpoint, ...own };
        const promise = promised(feedbackOf(row, { ...feedbackContext, now: midnight }).status_message, []);
        let now = midnight;
        const context = await contextWith(() => now, row);
        const refused = await firstRefusal(async (seconds) => {
          now = addSeconds(midnight, seconds);
          const limits = await limitsOf(context, clientId, 'sms_send');
          return checkRate(context, { kind: 'client', clientId }, 'sms_send', limits, now);
        }, 60 / own.per_minute);
        if (promise.window === undefined) {
          expect(refused).toBeUndefined();
          return;
        }
        const adjectives = { minute: 'minute', hour: 'hourly', day: 'daily' } as const;
        expect(adjectives[refused?.window ?? 'minute']).toBe(promise.window);
        // The time is rounded, and shown by its two largest units.
        const shown = promise.seconds ?? Number.NaN;
        expect(Math.abs((refused?.seconds ?? 0) - shown)).toBeLessThanOrEqual(shown >= 3600 ? 60 : 1);
      }),
      { numRuns: Math.ceil(runs.numRuns / 20), examples: [[{ per_minute: 1, per_hour: 6, per_day: 6 }]] },
    );
  });
});

/** Sends at an even rate for a day. */
async function firstRefusal(
  check: (seconds: number) => ReturnType<typeof checkRate>,
  secondsBetween: number,
) {
  for (let sent = 0; sent * secondsBetween < 86_400; sent += 1) {
    const { admitted, binding } = await check(sent * secondsBetween);
    if (!admitted) return { window: binding.window, seconds: sent * secondsBetween };
  }
  return undefined;
}
