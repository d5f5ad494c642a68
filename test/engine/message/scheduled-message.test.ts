/** A scheduled message on the real table: it waits for its time, is queued again if its queue message was lost, or is canceled. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import type { OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { enqueueScheduled } from '../../../shared/message/dispatch/scheduled-entries.ts';
import { cancelMessage } from '../../../shared/message/status-and-cancel.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { expireOverdue } from '../../../shared/relay/expire-messages.ts';
import { type RelayDependencies, relay } from '../../../shared/relay/relay.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores, storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { accepted } from '../../support/message/attempt-world.ts';
import { handOversIn } from '../../support/message/hand-overs.ts';
import { aClient, ask } from '../../support/message/sends.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const { carrierOf, sent, stored } = handOversIn(() => tables, clock);

/** A relay whose queue is a list. */
function relaySimulation() {
  const queued: (OutboundEntry & { readonly at: Date })[] = [];
  const { dueItemIndex } = inMemoryStores();
  const dependencies: RelayDependencies = {
    outbound: {
      enqueue: async (entries) => {
        queued.push(...entries.map((entry) => ({ ...entry, at: addSeconds(now, entry.delaySeconds ?? 0) })));
      },
    },
    setAside: neverSetAside,
    warn: () => undefined,
    webhooks: {
      dueItemIndex,
      queue: { send: () => Promise.reject(new Error('nothing is delivered here')) },
      slowEndpoints: storesIn(tables).slowEndpoints,
      clock,
      newRevision: () => 'r',
      retentionDays: 30,
    },
    accountUrlOf: async () => undefined,
    endpointsOf: async () => [],
    clock,
  };
  const { messages } = storesIn(tables);
  /** The run of each minute. */
  const enqueueDue = () => enqueueScheduled({ ...dependencies, dueItemIndex, messages, budgetMs: 10_000 });
  return { dependencies, dueItemIndex, queued, enqueueDue };
}

describe('a scheduled message', () => {
  it.each([60, 61.5, 899.9, 900])(
    'is in the queue until its time %s s ahead, and no second time',
    async (ahead) => {
      now = start;
      const due = addSeconds(start, ahead);
      const message = await sent({ scheduled_at: due.toISOString() });
      const { dependencies, dueItemIndex, queued } = relaySimulation();
      await relay(dependencies, [{ before: undefined, after: message }]);
      expect(dueItemIndex.all().filter(({ list }) => list.startsWith('scheduled'))).toEqual([]);
      const [shown] = queued;
      expect(shown?.delaySeconds).toBe(Math.ceil(ahead));

      const { dependencies: carrier, handed } = carrierOf(() => accepted);
      now = shown?.at ?? now;
      expect((await dispatch(carrier, message.message_id)).outcome).toBe('queued');
      const queuedMessage = await stored(message.message_id);
      expect(queuedMessage.status).toBe('queued');
      expect((queuedMessage.queued_at ?? '') >= due.toISOString()).toBe(true);
      await relay(dependencies, [{ before: message, after: queuedMessage }]);
      expect(queued).toHaveLength(2);
      expect((await dispatch(carrier, message.message_id)).outcome).toBe('sent');
      expect(handed).toHaveLength(1);
      expect((await stored(message.message_id)).expires_at).toBe(addSeconds(due, 259_200).toISOString());
      now = start;
    },
  );

  it('for later than a queue’s delay is enqueued minutes ahead, once, with the delay until its time', async () => {
    now = start;
    const due = addSeconds(start, 86_400.5);
    const message = await sent({ scheduled_at: due.toISOString() });
    const { dependencies, dueItemIndex, queued, enqueueDue } = relaySimulation();
    await relay(dependencies, [{ before: undefined, after: message }]);
    expect(queued).toEqual([]);
    now = addSeconds(due, -901);
    expect((await enqueueDue()).enqueued).toBe(0);
    now = addSeconds(due, -790);
    expect(await enqueueDue()).toMatchObject({ enqueued: 1, failures: [] });
    expect(queued).toMatchObject([{ messageId: message.message_id, delaySeconds: 790 }]);
    expect(queued[0]?.at).toEqual(due);
    expect((await enqueueDue()).enqueued).toBe(0);
    // The review after its time is left, for the case that the queue loses it.
    expect(dueItemIndex.all().map(({ list }) => list.split('#')[0])).toEqual(['messages']);
    now = start;
  });

  it('whose queue message comes early waits out the rest in the queue', async () => {
    now = start;
    const due = addSeconds(start, 86_400);
    const message = await sent({ scheduled_at: due.toISOString() });
    const { dependencies: carrier, handed } = carrierOf(() => accepted);
    now = addSeconds(due, -60);
    expect(await dispatch(carrier, message.message_id)).toMatchObject({
      outcome: 'not_yet_due',
      requeuedForSeconds: 60,
    });
    expect(handed).toEqual([]);
    now = start;
  });

  it('whose queue message was lost is queued a minute after its time, and again until it is handed over', async () => {
    now = start;
    const due = addSeconds(start, 120);
    const message = await sent({ scheduled_at: due.toISOString() });
    const { messages } = storesIn(tables);
    const { dependencies, dueItemIndex } = relaySimulation();
    await relay(dependencies, [{ before: undefined, after: message }]);
    const requeued: string[] = [];
    const outbound = {
      enqueue: async (entries: readonly OutboundEntry[]) => {
        requeued.push(...entries.map((entry) => entry.messageId));
      },
    };
    const sweep = () =>
      expireOverdue({ dueItemIndex, messages, outbound, setAside: neverSetAside, clock, budgetMs: 10_000 });
    now = addSeconds(due, 59);
    await sweep();
    expect(requeued).not.toContain(message.message_id);
    now = addSeconds(due, 60);
    await sweep();
    expect(requeued).toEqual([message.message_id]);
    now = addSeconds(due, 125);
    await sweep();
    expect(requeued).toEqual([message.message_id, message.message_id]);
    now = start;
  });

  it('that its queue lost is put there again after a quarter of an hour, then each hour, until it expires', async () => {
    now = start;
    const message = await sent({ validity_period: 7200 });
    const { messages } = storesIn(tables);
    const { dependencies, dueItemIndex } = relaySimulation();
    await relay(dependencies, [{ before: undefined, after: message }]);
    const minutes: number[] = [];
    const outbound = {
      enqueue: async () => void minutes.push((now.getTime() - start.getTime()) / 60_000),
    };
    for (let minute = 0; minute <= 121; minute += 1) {
      now = addSeconds(start, 60 * minute);
      await expireOverdue({
        dueItemIndex,
        messages,
        outbound,
        setAside: neverSetAside,
        clock,
        budgetMs: 10_000,
      });
    }
    expect(minutes).toEqual([15, 75]);
    expect((await stored(message.message_id)).status).toBe('expired');
    expect(dueItemIndex.all()).toEqual([]);
    now = start;
  });

  it('is canceled before its time, twice with one response, and never handed over', async () => {
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
    const { dependencies, handed } = carrierOf(() => accepted);
    now = addSeconds(due, 1);
    expect((await dispatch(dependencies, message.message_id)).outcome).toBe('nothing_to_do');
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
      const { dependencies, handed } = carrierOf(() => accepted);
      now = due;
      const canceling = ask(cancelMessage(storesIn(tables).messages), {
        client,
        now,
        pathParameters: { message_id },
      }).then(
        () => true,
        () => false,
      );
      const [canceled] = await Promise.all([canceling, dispatch(dependencies, message_id)]);
      await dispatch(dependencies, message_id);
      expect(handed).toHaveLength(canceled ? 0 : 1);
      expect((await stored(message_id)).status).toBe(canceled ? 'canceled' : 'sent');
    }
    now = start;
  });
});
