/** What the carrier's answers and the clock make of a message, on the real table, at times of the test's own. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Carrier, HandOver } from '../../shared/carrier/carrier.ts';
import { addSeconds } from '../../shared/clock.ts';
import { cancelMessage } from '../../shared/message/cancel.ts';
import { type DispatchDependencies, dispatch } from '../../shared/message/dispatch.ts';
import { expireOverdue } from '../../shared/message/expire.ts';
import type { Message } from '../../shared/message/message.ts';
import type { MessageStore } from '../../shared/message/message-store.ts';
import type { OutboundEntry } from '../../shared/message/outbound-queue.ts';
import { type RelayDependencies, relay } from '../../shared/message/relay.ts';
import { memoryAgenda } from '../support/memory-agenda.ts';
import { aClient, ask, sendsIn, storesIn } from '../support/sends.ts';
import { createTables, type TestTables } from '../support/tables.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const accepted: HandOver = { outcome: 'accepted', carrierMessageId: 'c-1', cost: 0.01, currency: 'USD' };

/** A carrier that answers as told, and what it was handed. */
function carrierOf(answer: () => HandOver | Promise<HandOver>) {
  const handed: { readonly messageId: string; readonly at: Date }[] = [];
  const carrier: Carrier = {
    async handOver(message) {
      handed.push({ messageId: message.message_id, at: now });
      return answer();
    },
  };
  const deps: DispatchDependencies = {
    messages: storesIn(tables).messages,
    carrierFor: () => carrier,
    bodyOf: async () => ({ text: 'Hello' }),
    clock,
    newClaimId: randomUUID,
    sleep: async () => {},
  };
  return { deps, handed };
}

async function sent(
  body: object = {},
  name: 'sms' | 'whatsapp' = 'sms',
  client = aClient(),
): Promise<Message> {
  const operation = sendsIn(tables)[name];
  const { body: answer } = await ask(operation, {
    client,
    now,
    body: { to: '+447700900123', message: 'Hello', ...body },
  });
  return stored((answer as { message_id: string }).message_id);
}

async function stored(messageId: string): Promise<Message> {
  const message = await storesIn(tables).messages.get(messageId);
  if (message === undefined) throw new Error('no such message');
  return message;
}

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

/** A relay whose queue and schedules are lists. */
function relayWorld() {
  const queued: (OutboundEntry & { readonly at: Date })[] = [];
  const schedules: { readonly messageId: string; readonly at: Date }[] = [];
  const agenda = memoryAgenda();
  const deps: RelayDependencies = {
    outbound: {
      enqueue: async (entries) => {
        queued.push(...entries.map((entry) => ({ ...entry, at: addSeconds(now, entry.delaySeconds ?? 0) })));
      },
    },
    outboundScheduler: { schedule: async (messageId, at) => void schedules.push({ messageId, at }) },
    scheduleLeadSeconds: 60,
    webhooks: {
      agenda,
      queue: { wake: async () => undefined } as never,
      health: {
        standing: async () => {
          throw new Error('nothing is delivered here');
        },
      },
      warn: () => undefined,
      clock,
      newRevision: () => 'r',
      retentionDays: 30,
    },
    accountUrlOf: async () => undefined,
    clock,
  };
  return { deps, agenda, queued, schedules };
}

describe('a scheduled message', () => {
  it.each([60, 61.5, 899.9, 900])(
    'is in the queue never after its time %s s ahead, and not yet due if before',
    async (ahead) => {
      now = start;
      const due = addSeconds(start, ahead);
      const message = await sent({ scheduled_at: due.toISOString() });
      const { deps, queued, schedules } = relayWorld();
      await relay(deps, [{ before: undefined, after: message }]);
      expect(schedules).toEqual([]);
      const [shown] = queued;
      expect(shown?.delaySeconds).toBe(Math.floor(ahead));

      const { deps: carrier, handed } = carrierOf(() => accepted);
      now = shown?.at ?? now;
      if (now < due) {
        const early = await dispatch(carrier, message.message_id);
        expect(early).toMatchObject({ outcome: 'not_yet_due', againAfterSeconds: 1 });
        now = addSeconds(now, 1);
      }
      expect((await dispatch(carrier, message.message_id)).outcome).toBe('queued');
      const queuedMessage = await stored(message.message_id);
      expect(queuedMessage.status).toBe('queued');
      expect((queuedMessage.queued_at ?? '') >= due.toISOString()).toBe(true);
      await relay(deps, [{ before: message, after: queuedMessage }]);
      expect(queued).toHaveLength(2);
      expect((await dispatch(carrier, message.message_id)).outcome).toBe('sent');
      expect(handed).toHaveLength(1);
      expect((await stored(message.message_id)).expires_at).toBe(addSeconds(due, 259_200).toISOString());
      now = start;
    },
  );

  it('for later than a queue’s delay has a schedule aimed early, and waits out the rest in the queue', async () => {
    now = start;
    const due = addSeconds(start, 86_400);
    const message = await sent({ scheduled_at: due.toISOString() });
    const { deps, queued, schedules } = relayWorld();
    await relay(deps, [{ before: undefined, after: message }]);
    expect(queued).toEqual([]);
    expect(schedules).toEqual([{ messageId: message.message_id, at: addSeconds(due, -60) }]);
    const { deps: carrier, handed } = carrierOf(() => accepted);
    now = addSeconds(due, -60);
    expect(await dispatch(carrier, message.message_id)).toMatchObject({
      outcome: 'not_yet_due',
      againAfterSeconds: 60,
    });
    expect(handed).toEqual([]);
    now = start;
  });

  it('whose wake was lost is woken a minute after its time, and again until it moves', async () => {
    now = start;
    const due = addSeconds(start, 120);
    const message = await sent({ scheduled_at: due.toISOString() });
    const { messages } = storesIn(tables);
    const { deps, agenda } = relayWorld();
    await relay(deps, [{ before: undefined, after: message }]);
    const woken: string[] = [];
    const outbound = {
      enqueue: async (entries: readonly OutboundEntry[]) => {
        woken.push(...entries.map((entry) => entry.messageId));
      },
    };
    const sweep = () => expireOverdue({ agenda, messages, outbound, clock, budgetMs: 10_000 });
    now = addSeconds(due, 59);
    await sweep();
    expect(woken).not.toContain(message.message_id);
    now = addSeconds(due, 60);
    await sweep();
    expect(woken).toEqual([message.message_id]);
    now = addSeconds(due, 125);
    await sweep();
    expect(woken).toEqual([message.message_id, message.message_id]);
    now = start;
  });

  it('that its queue lost is put there again after a quarter of an hour, then each hour, until it expires', async () => {
    now = start;
    const message = await sent({ validity_period: 7200 });
    const { messages } = storesIn(tables);
    const { deps, agenda } = relayWorld();
    await relay(deps, [{ before: undefined, after: message }]);
    const minutes: number[] = [];
    const outbound = {
      enqueue: async () => void minutes.push((now.getTime() - start.getTime()) / 60_000),
    };
    for (let minute = 0; minute <= 121; minute += 1) {
      now = addSeconds(start, 60 * minute);
      await expireOverdue({ agenda, messages, outbound, clock, budgetMs: 10_000 });
    }
    expect(minutes).toEqual([15, 75]);
    expect((await stored(message.message_id)).status).toBe('expired');
    expect(agenda.all()).toEqual([]);
    now = start;
  });

  it('is canceled before its time, twice with one answer, and never handed over', async () => {
    now = start;
    const client = aClient();
    const due = addSeconds(start, 60);
    const message = await sent({ scheduled_at: due.toISOString() }, 'sms', client);
    const cancel = () =>
      ask(cancelMessage(storesIn(tables).messages), {
        client,
        now,
        pathParameters: { message_id: message.message_id },
      });
    const first = await cancel();
    expect(first).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect((await cancel()).body).toEqual(first.body);
    const { deps, handed } = carrierOf(() => accepted);
    now = addSeconds(due, 1);
    expect((await dispatch(deps, message.message_id)).outcome).toBe('nothing_to_do');
    expect(handed).toEqual([]);
    now = start;
  });

  it('cannot be canceled once it is queued, nor by another client', async () => {
    now = start;
    const client = aClient();
    const { message_id } = await sent({}, 'sms', client);
    const cancelBy = (by: typeof client) =>
      ask(cancelMessage(storesIn(tables).messages), { client: by, now, pathParameters: { message_id } });
    await expect(cancelBy(client)).rejects.toMatchObject({ code: 'not_cancelable', status: 409 });
    await expect(cancelBy(aClient())).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it('is either canceled or handed over where both come at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      now = start;
      const client = aClient();
      const due = addSeconds(start, 60);
      const { message_id } = await sent({ scheduled_at: due.toISOString() }, 'sms', client);
      const { deps, handed } = carrierOf(() => accepted);
      now = due;
      const canceling = ask(cancelMessage(storesIn(tables).messages), {
        client,
        now,
        pathParameters: { message_id },
      }).then(
        () => true,
        () => false,
      );
      const [canceled] = await Promise.all([canceling, dispatch(deps, message_id)]);
      await dispatch(deps, message_id);
      expect(handed).toHaveLength(canceled ? 0 : 1);
      expect((await stored(message_id)).status).toBe(canceled ? 'canceled' : 'sent');
    }
    now = start;
  });
});
