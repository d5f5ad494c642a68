import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isClaimed, mayBeClaimed } from '../../../shared/message/dispatch/next-step.ts';
import { type Message, statuses } from '../../../shared/message/message.ts';
import {
  addAttemptCost,
  claimMessage,
  fillInSent,
  noteHandOver,
  releaseMessage,
  transitionMessage,
} from '../../../shared/message/store/message-changes.dynamo.ts';
import { firstLookOf } from '../../../shared/message/store/message-row.ts';
import {
  createLeg,
  createMessage,
  createMessages,
  findMessageByCarrierId,
  readFilterFields,
  readMessage,
  readMessages,
} from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { withoutUndefined } from '../../../shared/platform/object-fields.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages']);
});
afterAll(() => tables.drop());

const fresh = (more: Partial<Message> = {}) => aMessage({ message_id: newId('msg', created), ...more });
/** Returns the message as its new row has it. */
const asStored = (message: Message): Message => ({
  ...message,
  ...withoutUndefined({ due_at: firstLookOf(message)?.toISOString() }),
});
const claimOf = (claimId: string, seconds = 0) => ({ claimId, at: addSeconds(created, seconds) });

describe.each([
  ['in memory', () => testContext()],
  ['in the table', () => testContext(tables, { env: { RETENTION_DAYS: 1 } })],
])('messages %s', (_where, newContext) => {
  it('keeps the first row of an id and returns it to later writers, one by one and in a batch', async () => {
    const context = newContext();
    const first = fresh();
    const other = fresh();
    expect(await createMessage(context, first)).toEqual({ created: true });
    expect(await createMessage(context, { ...first, text: 'other' })).toEqual({
      created: false,
      existing: asStored(first),
    });
    await createMessages(context, [{ ...first, text: 'other' }, other]);
    expect(await readMessage(context, first.message_id)).toEqual(asStored(first));
    expect(await readMessage(context, other.message_id)).toEqual(asStored(other));
    expect(await readMessages(context, [other.message_id, newId('msg', created)])).toEqual([asStored(other)]);
    const { message_id, client_id, recipient, status, channel } = other;
    const fields = await readFilterFields(context, [message_id, newId('msg', created)]);
    expect(fields).toEqual([{ message_id, client_id, recipient, status, channel }]);
  });

  it('stores a leg once, and only while no earlier leg is delivered, read or canceled', async () => {
    const context = newContext();
    for (const status of statuses) {
      const [first, second] = [fresh({ status: 'failed' }), fresh({ status })];
      await createMessages(context, [first, second]);
      const leg = fresh({ stored_by: 'one', fallback_of: first.message_id, leg: 3 });
      const earlier = [first.message_id, second.message_id];
      const isOpen = ['queued', 'sending', 'sent', 'failed', 'expired'].includes(status);
      expect([status, await createLeg(context, leg, earlier)]).toEqual([
        status,
        isOpen ? 'created' : 'sequence_ended',
      ]);
      expect(await readMessage(context, leg.message_id)).toEqual(isOpen ? asStored(leg) : undefined);
      if (!isOpen) continue;
      // Its own write, repeated after a lost response; and that of another worker.
      expect(await createLeg(context, leg, earlier)).toBe('created');
      expect(await createLeg(context, { ...leg, stored_by: 'other' }, earlier)).toBe('exists');
      await transitionMessage(context, second.message_id, { to: 'delivered', at: created });
      expect(await createLeg(context, { ...leg, stored_by: 'other' }, earlier)).toBe('exists');
      expect(await readMessage(context, leg.message_id)).toEqual(asStored(leg));
    }
    expect(await createLeg(context, fresh({ leg: 2 }), [newId('msg', created)])).toBe('sequence_ended');
  });

  it('lets one of many claim a message, and knows the claim that is repeated', async () => {
    const context = newContext();
    const message = fresh();
    await createMessage(context, message);
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => claimMessage(context, message, claimOf(`claim ${i}`))),
    );
    expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    const holder = (await readMessage(context, message.message_id))?.handover_claim ?? '';
    expect(await claimMessage(context, message, claimOf(holder))).toMatchObject({ handover_attempts: 1 });
    expect(await claimMessage(context, fresh(), claimOf('x'))).toBeUndefined();
  });

  it('gives a claim to the next worker only when it has expired or its owner released it', async () => {
    const context = newContext();
    const message = fresh();
    await createMessage(context, message);
    const first = (await claimMessage(context, message, claimOf('first'))) as Message;
    expect([mayBeClaimed(first, addSeconds(created, 19)), isClaimed(first, addSeconds(created, 19))]).toEqual(
      [false, true],
    );
    expect(mayBeClaimed(first, addSeconds(created, 20))).toBe(true);
    const second = (await claimMessage(context, first, claimOf('second', 20))) as Message;
    expect(second).toMatchObject({ handover_attempts: 2, sending_at: created.toISOString() });
    expect(await readMessage(context, message.message_id)).toEqual(asStored(second));
    expect(await releaseMessage(context, first, addSeconds(created, 21))).toBe(false);
    expect(await releaseMessage(context, second, addSeconds(created, 21))).toBe(true);
    const released = (await readMessage(context, message.message_id)) as Message;
    expect(mayBeClaimed(released, addSeconds(created, 21))).toBe(true);
    expect(await claimMessage(context, second, claimOf('late', 21))).toBeUndefined();
    expect(await claimMessage(context, released, claimOf('third', 21))).toBeDefined();
  });

  it('gives no claim to a message that is over, done, held or not yet due', () => {
    for (const more of [
      { held: 'due' },
      { expires_at: created.toISOString() },
      { status: 'delivered' },
      { status: 'scheduled', scheduled_at: addSeconds(created, 60).toISOString() },
    ] as const) {
      expect([more, mayBeClaimed(fresh(more), created)]).toEqual([more, false]);
    }
  });

  it('enters a state only from its permitted prior states, and sets the times of all states that it implies', async () => {
    const context = newContext();
    const message = fresh({ status: 'sending', error_code: 'unknown' });
    await createMessage(context, message);
    const at = addSeconds(created, 5);
    const delivered = await transitionMessage(context, message.message_id, {
      to: 'delivered',
      at,
      cost: 0.5,
    });
    const { error_code: _, ...rest } = message;
    const times = { sent_at: at.toISOString(), delivered_at: at.toISOString() };
    expect(delivered).toEqual({ ...rest, ...times, status: 'delivered', cost: 0.5 });
    const later = addSeconds(created, 9);
    expect(await transitionMessage(context, message.message_id, { to: 'sent', at: later })).toBeUndefined();
    expect(
      await transitionMessage(context, newId('msg', created), { to: 'sent', at: later }),
    ).toBeUndefined();
    expect(await readMessage(context, message.message_id)).toEqual(delivered);
  });

  it("stores the carrier's response unless a receipt came first", async () => {
    const context = newContext();
    const message = fresh({ status: 'delivered', cost: 1 });
    await createMessage(context, message);
    const carrierMessageId = newId('act', created);
    const noted = { at: created, carrierMessageId, cost: 2, currency: 'USD' };
    await noteHandOver(context, message.message_id, noted);
    await noteHandOver(context, newId('msg', created), noted);
    const known = { carrier_message_id: carrierMessageId, currency: 'USD', sent_at: created.toISOString() };
    const after = { ...message, ...known };
    expect(await readMessage(context, message.message_id)).toEqual(after);
    expect(await findMessageByCarrierId(context, carrierMessageId)).toBe(message.message_id);
  });

  it.each(['failed', 'expired'] as const)(
    'fills in `sent` where a carrier reports %s, and keeps its time',
    async (to) => {
      const context = newContext();
      const quick = fresh({ status: 'sending' });
      const late = fresh({ status: 'sent', sent_at: created.toISOString() });
      await createMessages(context, [quick, late]);
      const at = addSeconds(created, 5);
      const reported = { to, at, reported: true };
      expect(await transitionMessage(context, quick.message_id, reported)).toMatchObject({
        sent_at: at.toISOString(),
      });
      expect(await transitionMessage(context, late.message_id, reported)).toMatchObject({
        sent_at: created.toISOString(),
      });
    },
  );

  it('fills in `sent` once, of messages that came to their end without it', async () => {
    const context = newContext();
    const at = addSeconds(created, 5);
    for (const status of statuses) {
      const message = fresh({ status });
      await createMessage(context, message);
      const ended = status === 'failed' || status === 'expired';
      const filled = { ...message, sent_at: at.toISOString() };
      expect(await fillInSent(context, message.message_id, at)).toEqual(ended ? filled : undefined);
      expect(await fillInSent(context, message.message_id, addSeconds(at, 1))).toBeUndefined();
      expect(await readMessage(context, message.message_id)).toEqual(ended ? filled : asStored(message));
    }
    expect(await fillInSent(context, newId('msg', created), at)).toBeUndefined();
  });

  it('keeps what each attempt costs where carriers report at the same time, also where the sum stays as it was', async () => {
    const context = newContext();
    for (const [one, other, sum] of [
      [0, 0, 0],
      [0.02, 0.03, 0.05],
      [0.02, -0.02, 0],
    ] as const) {
      const message = fresh({ status: 'sent', cost: 0, currency: 'USD' });
      await createMessage(context, message);
      const add = (attempt: number, cost: number) =>
        addAttemptCost(context, message.message_id, { attempt, cost, currency: 'USD', reported: true });
      await Promise.all([add(1, one), add(2, other), add(1, one)]);
      const reported = { currency: 'USD', reported: true };
      expect(await readMessage(context, message.message_id)).toMatchObject({
        cost: sum,
        costs: { 1: { cost: one, ...reported }, 2: { cost: other, ...reported } },
        cost_reported: true,
      });
    }
  });

  it('adds the cost of a second attempt to that of the first, which was stored while it was the only one', async () => {
    const context = newContext();
    const at = created.toISOString();
    const attempt = { carrier: 'aws', at, deadline: at, outcome: 'unknown' } as const;
    const attempts = [
      { ...attempt, number: 2 },
      { ...attempt, number: 3 },
    ];
    for (const reported of [undefined, true] as const) {
      const first = { cost: 0.02, currency: 'USD', ...(reported && { reported }) };
      const message = fresh({
        status: 'sent',
        attempts,
        cost: 0.02,
        currency: 'USD',
        ...(reported && { cost_reported: reported }),
      });
      await createMessage(context, message);
      await addAttemptCost(context, message.message_id, {
        attempt: 3,
        cost: 0.03,
        currency: 'USD',
        reported: true,
      });
      expect(await readMessage(context, message.message_id)).toMatchObject({
        cost: 0.05,
        costs: { 2: first, 3: { cost: 0.03, currency: 'USD', reported: true } },
        cost_reported: reported ?? false,
      });
    }
  });
});
