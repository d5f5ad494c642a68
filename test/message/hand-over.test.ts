/** What the carrier's answers make of a message, on the real table, at times of the test's own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../shared/clock.ts';
import { dispatch } from '../../shared/message/dispatch.ts';
import type { MessageStore } from '../../shared/message/message-store.ts';
import { accepted, handOversIn } from '../support/hand-overs.ts';
import { storesIn } from '../support/sends.ts';
import { createTables, type TestTables } from '../support/tables.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const { carrierOf, sent, stored } = handOversIn(() => tables, clock);

describe('a receipt that beats the carrier’s own answer', () => {
  it.each(['sms', 'whatsapp'] as const)(
    'leaves the message findable and priced by the answer all the same: %s',
    async (channel) => {
      const { message_id } = await sent({}, channel);
      const { messages } = storesIn(tables);
      const carrierMessageId = `late-${channel}`;
      const { deps } = carrierOf(async () => {
        await messages.transition(message_id, { to: 'delivered', at: now });
        return { ...accepted, carrierMessageId };
      });
      await dispatch(deps, message_id);
      expect(await stored(message_id)).toMatchObject({
        status: 'delivered',
        carrier_message_id: carrierMessageId,
        cost: 0.01,
        currency: 'USD',
      });
      const found = await messages.findByCarrierId(carrierMessageId);
      expect(found).toBe(channel === 'whatsapp' ? message_id : undefined);
    },
  );

  it('keeps the receipt’s price, which is the true one', async () => {
    const { message_id } = await sent();
    const { deps } = carrierOf(async () => {
      const price = { cost: 0.005, currency: 'EUR', carrierMessageId: 'from-receipt' };
      await storesIn(tables).messages.transition(message_id, { to: 'delivered', at: now, ...price });
      return accepted;
    });
    await dispatch(deps, message_id);
    expect(await stored(message_id)).toMatchObject({
      cost: 0.005,
      currency: 'EUR',
      carrier_message_id: 'from-receipt',
    });
  });
});

describe('a table that takes what the carrier said only after a while', () => {
  it.each([
    ['sent', accepted],
    ['failed', { outcome: 'refused', errorCode: 'unreachable', errorMessage: 'Not there.' }],
  ] as const)('has no message handed over again, which is %s then', async (status, answer) => {
    const { message_id } = await sent();
    const { deps, handed } = carrierOf(() => answer);
    let failures = 3;
    const transition: MessageStore['transition'] = async (...change) => {
      failures -= 1;
      if (failures >= 0) throw new Error('throttled');
      return deps.messages.transition(...change);
    };
    await dispatch({ ...deps, messages: { ...deps.messages, transition } }, message_id);
    expect(handed).toHaveLength(1);
    expect((await stored(message_id)).status).toBe(status);
  });
});

describe('a carrier that does not take the message', () => {
  it('has it again after longer and longer waits, until the message expires, and not after', async () => {
    now = start;
    const { message_id } = await sent({ validity_period: 3600 });
    const { deps, handed } = carrierOf(() => ({ outcome: 'try_again', reason: 'throttled' }));
    const waits: number[] = [];
    let outcome = '';
    for (let shown = 0; shown < 1000 && outcome !== 'expired'; shown += 1) {
      const result = await dispatch(deps, message_id);
      outcome = result.outcome;
      waits.push(result.againAfterSeconds ?? 0);
      now = addSeconds(now, result.againAfterSeconds ?? 0);
    }
    expect(waits.slice(0, 10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(outcome).toBe('expired');
    expect(await stored(message_id)).toMatchObject({ status: 'expired', error_code: 'expired' });
    for (const { at } of handed) expect(at < addSeconds(start, 3600)).toBe(true);
    now = start;
  });

  it('is tried for three days in fewer shows than the queue allows before it sets a message aside', () => {
    const waits = [2, 4, 8, 16, 32, 64, 128, 256];
    const rest = 259_200 - waits.reduce((sum, wait) => sum + wait, 0);
    expect(waits.length + rest / 300).toBeLessThan(1000);
  });

  it('fails it for good where it refuses, and says why', async () => {
    const { message_id } = await sent();
    const refusal = { errorCode: 'carrier_blocked', errorMessage: 'Blocked.' };
    const { deps } = carrierOf(() => ({ outcome: 'refused', ...refusal }));
    expect(await dispatch(deps, message_id)).toMatchObject({
      outcome: 'refused',
      errorCode: 'carrier_blocked',
    });
    expect(await stored(message_id)).toMatchObject({ status: 'failed', error_code: 'carrier_blocked' });
    expect((await dispatch(deps, message_id)).outcome).toBe('nothing_to_do');
  });
});
