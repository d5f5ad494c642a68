/** The counter of caps against a model, over the ends of minutes, hours, days and months, on the real table. */

import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GatewayError } from '../../../shared/contract/errors.ts';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import {
  capCounterKey,
  capsInForce,
  capUse,
  checkCaps,
  takeFromCaps,
} from '../../../shared/limit/client-caps.ts';
import { windowsAt } from '../../../shared/limit/counters.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { capProcess, millionthsOf, usedOf } from '../../support/cap/caps.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { watchCalls } from '../../support/engine/watch-calls.ts';
import { writeRows } from '../../support/engine/write-rows.ts';
import { aClient } from '../../support/message/sends.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters', 'limit_overrides', 'activity_log']);
});
afterAll(() => tables.drop());

const caps = {
  messages: { perMinute: 12, perHour: 30, perDay: 60, perMonth: 100 },
  spend: { perDay: 1.5, perMonth: 2.25 },
} as const satisfies StageCaps;

async function rowOf(clientId: string, at: Date): Promise<Record<string, unknown> | undefined> {
  const Key = { counter: capCounterKey(clientId, windowsAt(at)) };
  const { Item } = await tables.dynamo.send(
    new GetCommand({ TableName: tables.names.rate_counters, Key, ConsistentRead: true }),
  );
  return Item;
}

interface Step {
  /** Time that passes before it. */
  readonly seconds: number;
  readonly recipients: number;
  readonly country: string;
  readonly process: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  seconds: fc.oneof(
    fc.constantFrom(0, 1, 59, 60, 299, 3599, 3600, 86_399, 86_400, 10 * 86_400),
    fc.integer({ min: 0, max: 200_000 }),
  ),
  recipients: fc.integer({ min: 1, max: 20 }),
  country: fc.constantFrom('GB', 'US', 'FR'),
  process: fc.integer({ min: 0, max: 2 }),
});

/** The start of each window is its name: by definition of UTC, not by the code under test. */
function windowsOf(at: Date): Record<string, string> {
  const text = at.toISOString();
  return {
    minute: text.slice(0, 16),
    hour: text.slice(0, 13),
    day: text.slice(0, 10),
    month: text.slice(0, 7),
  };
}

const limits = [
  ['messages', 'minute', caps.messages.perMinute],
  ['messages', 'hour', caps.messages.perHour],
  ['messages', 'day', caps.messages.perDay],
  ['messages', 'month', caps.messages.perMonth],
  ['spend', 'day', caps.spend.perDay * 1e6],
  ['spend', 'month', caps.spend.perMonth * 1e6],
] as const;

describe('the counter', () => {
  it('takes what a model takes, and counts what it counts, whatever windows end between', async () => {
    const start = fc.constantFrom(
      '2026-11-30T23:58:58.500Z',
      '2026-12-31T22:59:59.999Z',
      '2028-02-28T00:00:00Z',
    );
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { minLength: 5, maxLength: 30 }), async (from, steps) => {
        const { client_id } = aClient();
        const processes = [0, 1, 2].map(() => capProcess(tables, () => caps));
        const model = new Map<string, number>();
        let at = new Date(from);
        for (const { seconds, recipients, country, process } of steps) {
          at = addSeconds(at, seconds);
          const messages = Array.from({ length: recipients }, () => ({ channel: 'sms', country }) as const);
          const amounts = { messages: recipients, spend: millionthsOf(messages) };
          const windows = windowsOf(at);
          const keys = limits.map(([cap, window, limit]) => ({
            key: `${cap} ${window} ${windows[window]}`,
            amount: amounts[cap],
            limit,
          }));
          const fits = keys.every(({ key, amount, limit }) => (model.get(key) ?? 0) + amount <= limit);
          expect(await takes(() => processes[process]?.(client_id, messages, at))).toBe(fits);
          if (fits) for (const { key, amount } of keys) model.set(key, (model.get(key) ?? 0) + amount);
          const expected = limits.map(([cap, window]) => {
            const counted = model.get(`${cap} ${window} ${windows[window]}`) ?? 0;
            return [`${cap} ${window}`, cap === 'spend' ? counted / 1e6 : counted];
          });
          expect(await usedOf(tables, client_id, at, caps)).toEqual(Object.fromEntries(expected));
        }
      }),
      { numRuns: 40 },
    );
  });

  async function takes(take: () => Promise<void> | undefined) {
    try {
      await take();
      return true;
    } catch (error) {
      if (error instanceof GatewayError) return false;
      throw error;
    }
  }

  it('keeps its row below a kilobyte through a month of sends, at any pace', async () => {
    const { client_id } = aClient();
    const endless: StageCaps = { messages: { perMinute: 1e9 }, spend: { perDay: 1e6, perMonth: 1e6 } };
    const take = capProcess(tables, () => endless);
    const pauses = [1, 60, 61, 300, 3600, 40_000, 86_400];
    let at = new Date('2026-11-01T00:00:00.000Z');
    let longest = 0;
    let sends = 0;
    for (let index = 0; at < new Date('2026-11-30T00:00:00Z'); index += 1) {
      await take(client_id, [{ channel: 'sms', country: 'GB' }], at);
      sends += 1;
      longest = Math.max(longest, JSON.stringify(await rowOf(client_id, at)).length);
      at = addSeconds(at, pauses[index % pauses.length] ?? 1);
    }
    expect(longest).toBeLessThan(1000);
    expect(await rowOf(client_id, new Date('2026-11-29T00:00:00Z'))).toMatchObject({ messages_month: sends });
  });

  it('counts what an observed cap would refuse, and refuses only by the others', async () => {
    const { client_id } = aClient();
    const now = new Date('2026-11-20T10:05:17.000Z');
    const row = { client_id, mode: 'observe' };
    await writeRows(tables.dynamo, tables.names.limit_overrides, [
      { ...row, endpoint: 'messages', per_day: 4 },
      { ...row, endpoint: 'spend', per_day: 0.000001 },
    ]);
    const context = testContext(tables, { clock: () => now });
    Object.assign(context, { env: { ...context.env, STAGE_CAPS: { messages: { perDay: 8 } } } });
    const capped = { clientId: client_id, limits: await capsInForce(context, client_id), now };
    const messages = Array.from({ length: 3 }, () => ({ channel: 'sms', country: 'US' }) as const);
    await takeFromCaps(context, capped, messages);
    await takeFromCaps(context, capped, messages);
    await expect(takeFromCaps(context, capped, messages)).rejects.toMatchObject({
      code: 'message_limit_reached',
      message: expect.stringContaining('of 8 messages'),
    });
    await checkCaps(context, capped, messages.slice(1));
    expect(await rowOf(client_id, now)).toMatchObject({
      observed_refused_messages: 3,
      observed_refused_spend: 2 * millionthsOf(messages),
    });
    expect(await capUse(context, capped)).toMatchObject([{ cap: 'messages', limit: 8, used: 6 }]);
  });

  it('is one call that consumes one write unit, whether it takes or refuses', async () => {
    const { client_id } = aClient();
    const now = new Date('2026-11-20T10:05:17.000Z');
    const watched = watchCalls(tables.dynamo);
    const process = capProcess(tables, () => caps);
    const messages = Array.from({ length: 7 }, () => ({ channel: 'sms', country: 'US' }) as const);
    const take = () => process(client_id, messages, now);
    await take();
    expect(watched.calls).toEqual(['UpdateItemCommand', '1']);
    await expect(take()).rejects.toMatchObject({ code: 'message_limit_reached' });
    expect(watched.calls).toHaveLength(3);
    watched.stop();
  });

  it('has a TTL of two days after its month', async () => {
    const { client_id } = aClient();
    const now = new Date('2026-12-20T10:05:17.000Z');
    const take = capProcess(tables, () => ({ messages: { perHour: 5 } }));
    await take(client_id, [{ channel: 'whatsapp', country: 'FR' }], now);
    expect(await rowOf(client_id, now)).toEqual({
      counter: `caps:${client_id}|2026-12`,
      messages_h2010: 1,
      messages_d20: 1,
      messages_month: 1,
      spend_d20: 50_000,
      spend_month: 50_000,
      purge_at: Date.parse('2027-01-03T00:00:00Z') / 1000,
    });
  });

  it('counts again from nothing when its row is deleted by hand', async () => {
    const { client_id } = aClient();
    const now = new Date('2026-11-20T10:05:17.000Z');
    const process = capProcess(tables, () => ({ messages: { perDay: 1 } }));
    const take = () => process(client_id, [{ channel: 'sms', country: 'GB' }], now);
    await take();
    await expect(take()).rejects.toMatchObject({ code: 'message_limit_reached' });
    const Key = { counter: capCounterKey(client_id, windowsAt(now)) };
    await tables.dynamo.send(new DeleteCommand({ TableName: tables.names.rate_counters, Key }));
    await take();
  });
});
