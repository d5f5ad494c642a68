/** A scheduled message on the real table: it waits for its time, is queued again if its queue message was lost, or is canceled. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import type { OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { cancelMessage } from '../../../shared/message/status-and-cancel.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { type RelayContext, relayChanges } from '../../../shared/relay/relay.ts';
import { createTables } from '../../support/engine/tables.ts';
import { outboundSqs, testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { accepted } from '../../support/message/attempt-world.ts';
import { dueRuns } from '../../support/message/due-runs.ts';
import { handOversIn } from '../../support/message/hand-overs.ts';
import { aClient, ask } from '../../support/message/sends.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables([
    'messages',
    'batches',
    'one_time_passwords',
    'suppressions',
    'whatsapp_windows',
    'webhook_endpoints',
  ]);
});
afterAll(() => tables.drop());

const { carrierOf, sent, stored } = handOversIn(() => tables, clock);

/** A relay whose queue is a list. */
function relaySimulation() {
  const queued: (OutboundEntry & { readonly at: Date })[] = [];
  const context: RelayContext = {
    ...testContext(tables, {
      clock,
      sqs: outboundSqs((entry) => queued.push({ ...entry, at: addSeconds(now, entry.delaySeconds ?? 0) })),
    }),
    accountUrlOf: async () => undefined,
  };
  return { context, queued };
}

describe('a scheduled message', () => {
  it.each([60, 61.5, 899.9, 900])(
    'is in the queue until its time %s s ahead, and no second time',
    async (ahead) => {
      now = start;
      const due = addSeconds(start, ahead);
      const message = await sent({ scheduled_at: due.toISOString() });
      const { context, queued } = relaySimulation();
      await relayChanges(context, [{ before: undefined, after: message }]);
      const [shown] = queued;
      expect(shown?.delaySeconds).toBe(Math.ceil(ahead));
      const { dependencies: carrier, handed } = carrierOf(() => accepted);
      now = shown?.at ?? now;
      expect((await dispatch(carrier, message.message_id)).outcome).toBe('sent');
      expect(handed).toHaveLength(1);
      const after = await stored(message.message_id);
      expect((after.queued_at ?? '') >= due.toISOString()).toBe(true);
      await relayChanges(context, [{ before: message, after: { ...after, status: 'queued' } }]);
      expect(queued).toHaveLength(1);
      expect(after.expires_at).toBe(addSeconds(due, 259_200).toISOString());
      now = start;
    },
  );

  it('for later than a queue’s delay is queued in the minute before its time, once, with the rest as its delay', async () => {
    now = start;
    const due = addSeconds(start, 86_400.5);
    const { message_id } = await sent({ scheduled_at: due.toISOString() });
    const { context, queued } = relaySimulation();
    await relayChanges(context, [{ before: undefined, after: await stored(message_id) }]);
    expect(queued).toEqual([]);
    const { run } = dueRuns(tables, clock);
    const runAt = async (seconds: number) => {
      now = addSeconds(due, seconds);
      return (await run()).filter(({ messageId }) => messageId === message_id);
    };
    expect(await runAt(-91)).toEqual([]);
    expect(await runAt(-80)).toMatchObject([{ delaySeconds: 80 }]);
    // The queue lost it, and what the next run queued too.
    expect(await runAt(20)).toEqual([]);
    expect(await runAt(31)).toMatchObject([{ delaySeconds: 89 }]);
    expect((await stored(message_id)).due_at).toBe(addSeconds(due, 360).toISOString());
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

  it('that its queue loses again and again is put there at doubling intervals, and expires in its time', async () => {
    now = start;
    const { message_id } = await sent({ validity_period: 7200 });
    const { run } = dueRuns(tables, clock);
    const { dependencies } = carrierOf(() => accepted);
    const seconds: number[] = [];
    // The minutes around the times at which it may be queued.
    for (const minute of [0, 1, 2, 3, 4, 6, 7, 8, 14, 15, 16, 30, 31, 32, 62, 63, 64, 100, 119, 120, 121]) {
      now = addSeconds(start, 60 * minute);
      for (const { messageId, delaySeconds } of await run())
        if (messageId === message_id) seconds.push(60 * minute + delaySeconds);
    }
    expect(seconds).toEqual([90, 210, 450, 930, 1890, 3810, 7200]);
    await dispatch(dependencies, message_id);
    expect(await stored(message_id)).toMatchObject({ status: 'expired' });
    expect((await stored(message_id)).due_at).toBeUndefined();
    now = start;
  });

  it('is canceled before its time, twice with one response, and never handed over', async () => {
    now = start;
    const client = aClient();
    const due = addSeconds(start, 60);
    const message = await sent({ scheduled_at: due.toISOString() }, 'sms', client);
    const cancel = () =>
      ask(cancelMessage(testContext(tables)), {
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
      ask(cancelMessage(testContext(tables)), { client: by, now, pathParameters: { message_id } });
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
      const canceling = ask(cancelMessage(testContext(tables)), {
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
