/** A message of a sender with a pace on its way to the carrier: it waits in the queue, keeps its slot, and goes in it. */
import { describe, expect, it } from '@jest/globals';
import { expectedEndOf, reserveBulkSlots } from '../../../shared/message/dispatch/bulk-slots.ts';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch, dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import {
  type OutboundEntry,
  outboundEntriesOf,
  queuedMessageOf,
} from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { slotReservations } from '../../../shared/message/dispatch/reserve-slots.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { expireOverdue, firstReview } from '../../../shared/relay/expire-messages.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { pacedWorld, sender } from '../../support/message/paced-world.ts';

const seconds = (at: Date | string) => (new Date(at).getTime() - created.getTime()) / 1000;
const bulk = { batch_id: 'bat_1' };

describe('a bulk message', () => {
  it('has its slot from the start, waits in the queue for it, and passes no table before', async () => {
    const world = pacedWorld();
    const all = await world.stored(5000, bulk);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(1);
    const last = all.at(-1) as Message;
    // 5,000 at two a second are 2,500 s: more than the longest delay of a queue.
    expect(seconds(last.slot?.at ?? '')).toBeCloseTo(2503, -1);
    world.calls.length = 0;
    let [entry] = outboundEntriesOf(last, created);
    const delays: number[] = [];
    for (let hop = 0; hop < 10 && entry !== undefined && world.handed.length === 0; hop += 1) {
      delays.push(entry.delaySeconds ?? 0);
      world.queued.length = 0;
      await world.deliver(entry);
      if (world.handed.length === 0) {
        expect((await world.messages.get(last.message_id))?.status).toBe('queued');
        expect(world.calls).toEqual([]);
      }
      entry = world.queued[0];
    }
    expect(delays.slice(0, 2)).toEqual([900, 900]);
    expect(delays).toHaveLength(3);
    expect(world.handed.map(({ id }) => id)).toEqual([last.message_id]);
    expect(world.handed[0]?.at.toISOString()).toBe(last.slot?.at);
    // One look at its place, and nothing else.
    expect(world.calls).toEqual(['read']);
  });

  it('that comes too late, or whose place a one-time password has, gets one slot at the end, however often it is repeated', async () => {
    const world = pacedWorld();
    const [first, second] = (await world.stored(20, bulk)) as [Message, Message];
    const otp = { otp_id: 'otp_1', code_length: 6, expires_at: created.toISOString(), attempts_remaining: 5 };
    world.at(addSeconds(new Date(first.slot?.period_start ?? ''), -0.5));
    await world.messages.create(
      aMessage({ message_id: 'msg_otp', status: 'queued', sender, segments: 1, otp }),
    );
    await dispatch(world.dependencies, 'msg_otp');
    expect(world.handed.map(({ id }) => id)).toEqual(['msg_otp']);
    expect(world.handed[0]?.at.toISOString()).toBe(first.slot?.at);
    expect((await dispatch(world.dependencies, first.message_id)).outcome).toBe('waits_for_slot');
    world.at(addSeconds(new Date(second.slot?.at ?? ''), 3));
    expect((await dispatch(world.dependencies, second.message_id)).outcome).toBe('waits_for_slot');
    const slots = world.messages.all().map(({ slot }) => slot?.at);
    for (const { message_id } of [first, second, first])
      expect((await dispatch(world.dependencies, message_id)).outcome).toBe('waits_for_slot');
    expect(world.messages.all().map(({ slot }) => slot?.at)).toEqual(slots);
    const ends = [first, second].map(({ message_id }) =>
      seconds(world.messages.all().find((each) => each.message_id === message_id)?.slot?.at ?? ''),
    );
    expect(Math.min(...ends)).toBeGreaterThan(12);
    for (const entry of world.queued.slice(0, 2)) {
      world.at(addSeconds(new Date(entry.slotAt ?? ''), -1));
      expect((await dispatchQueued(world.dependencies, queuedMessageOf(entry))).outcome).toBe('sent');
    }
  });

  it('and the others of its batch end when the last of their slots says, as they have them at the time', async () => {
    const world = pacedWorld();
    const all = await world.stored(20, bulk);
    const end = () => expectedEndOf(world.messages.all(), world.clock());
    expect(end()?.toISOString()).toBe(all.at(-1)?.slot?.at);
    const [first] = all as [Message];
    world.at(addSeconds(new Date(first.slot?.at ?? ''), 3));
    await dispatch(world.dependencies, first.message_id);
    expect(seconds(end() ?? '')).toBeGreaterThan(seconds(all.at(-1)?.slot?.at ?? ''));
    // Nothing is sent until long after: 20 messages at two a second take ten more seconds.
    world.at(addSeconds(created, 1000));
    expect(seconds(end() ?? '')).toBeCloseTo(1010, -1);
    for (const { message_id } of all)
      await world.messages.transition(message_id, { to: 'failed', at: created });
    expect(end()).toBeUndefined();
  });

  it('is stored without a slot where others reserve before each attempt of the request', async () => {
    const { senderPaces } = inMemoryStores();
    let attempts = 0;
    let waitedMs = 0;
    const pace = slotReservations({
      store: {
        read: senderPaces.read,
        replace: async () => {
          attempts += 1;
          return false;
        },
      },
      clock: () => created,
      sleep: async (ms) => {
        waitedMs += ms;
      },
      random: () => 1,
    });
    const all = Array.from({ length: 10 }, (_, index) =>
      aMessage({ message_id: `msg_${index}`, status: 'queued', sender, segments: 1, ...bulk }),
    );
    const { messages, expectedEndAt } = await reserveBulkSlots(pace, all);
    expect(messages).toEqual(all);
    expect(seconds(expectedEndAt ?? '')).toBeCloseTo(8, -1);
    // The request has 20 s.
    expect([attempts, waitedMs < 2000]).toEqual([10, true]);
  });

  it('that is scheduled ends as if its sender had nothing else to send', async () => {
    const world = pacedWorld();
    const scheduled_at = addSeconds(created, 3600).toISOString();
    const paced = { identity: 'ACME', messages_per_second: 4.5 };
    const change = { ...bulk, status: 'scheduled', scheduled_at, sender: paced, segments: 3 } as const;
    const all = await world.stored(100, change);
    const { expectedEndAt } = await reserveBulkSlots(world.pace, all);
    // Four places in a second: one message of three segments each.
    expect(seconds(expectedEndAt ?? '')).toBeCloseTo(3700, -1);
    expect(expectedEndOf(all, created)).toEqual(expectedEndAt);
  });

  it('is not taken for lost while it waits for its slot, and is 15 minutes after it', async () => {
    const world = pacedWorld();
    const [, message] = (await world.stored(4000, bulk)).slice(-2) as [Message, Message];
    const { dueItemIndex } = inMemoryStores();
    await dueItemIndex.add('messages', [firstReview(message)]);
    const review = async (at: Date) => {
      world.at(at);
      world.queued.length = 0;
      const { dependencies, messages, clock } = world;
      const { outbound } = dependencies;
      await expireOverdue({
        dueItemIndex,
        messages,
        outbound,
        setAside: neverSetAside,
        clock,
        budgetMs: 10_000,
      });
      return world.queued.length;
    };
    const slotAt = new Date(message.slot?.at ?? '');
    expect(await review(addSeconds(created, 1000))).toBe(0);
    expect(await review(addSeconds(slotAt, 890))).toBe(0);
    expect(await review(addSeconds(slotAt, 901))).toBe(1);
  });

  it('that expires before its slot is in no queue, and is expired in its time', async () => {
    const world = pacedWorld();
    const expires_at = addSeconds(created, 300).toISOString();
    const all = await world.stored(1000, { ...bulk, expires_at });
    const last = all.at(-1) as Message;
    expect(outboundEntriesOf(last, created)).toEqual([]);
    expect(outboundEntriesOf(all[0] as Message, created)).toHaveLength(1);
    expect(firstReview(last).dueAt.toISOString()).toBe(expires_at);
  });

  it('that is no longer to be sent loses its slot, and nothing else', async () => {
    const world = pacedWorld();
    const [first, second] = (await world.stored(2, bulk)) as [Message, Message];
    await world.messages.transition(first.message_id, { to: 'failed', at: created });
    for (const message of [first, second])
      for (const entry of outboundEntriesOf(message, created)) {
        world.at(addSeconds(new Date(message.slot?.at ?? ''), -1));
        await dispatchQueued(world.dependencies, queuedMessageOf({ ...entry, delaySeconds: 0 }));
      }
    expect(world.handed).toEqual([{ id: second.message_id, at: new Date(second.slot?.at ?? '') }]);
  });
});

describe('a carrier whose secret is read for longer than a slot', () => {
  it('gets no more messages in a second than the pace says', async () => {
    const world = pacedWorld();
    const all = await world.stored(20, bulk);
    const [first] = all as [Message];
    let isRead = false;
    const readSecret = async () => {
      if (!isRead) world.at(addSeconds(new Date(first.slot?.at ?? ''), 3));
      isRead = true;
    };
    const carriersFor: typeof world.dependencies.carriersFor = (message) =>
      world.dependencies.carriersFor(message).map((carrier) => ({
        ...carrier,
        defaultSender: async () => void (await readSecret()),
        handOver: async (request) => {
          await readSecret();
          return carrier.handOver(request);
        },
      }));
    world.at(new Date(first.slot?.at ?? ''));
    await dispatch({ ...world.dependencies, carriersFor }, first.message_id);
    const second = Math.floor(seconds(world.clock()));
    const ofSecond = all.filter(({ slot }) => Math.floor(seconds(slot?.at ?? '')) === second);
    expect(ofSecond).toHaveLength(2);
    for (const { message_id } of ofSecond) await dispatch(world.dependencies, message_id);
    const bySecond = Object.groupBy(world.handed, ({ at }) => Math.floor(seconds(at)));
    expect(Math.max(...Object.values(bySecond).map((handed = []) => handed.length))).toBe(2);
  });
});

describe('a table that takes its time', () => {
  it.each([200, 400, 900])('%s ms for each call holds no worker until its time limit', async (tableMs) => {
    for (const change of [{}, bulk]) {
      const world = pacedWorld(undefined, tableMs);
      await world.stored(3, change);
      world.at(addSeconds(created, 60));
      for (let index = 0; index < 3; index += 1) {
        const began = world.clock();
        const { outcome } = await dispatch(world.dependencies, `msg_${index}`);
        expect(['sent', 'waits_for_slot']).toContain(outcome);
        expect(seconds(world.clock()) - seconds(began)).toBeLessThan(10);
      }
    }
  });
});

it('reads that take long before a hand-over do not move it into the next second', async () => {
  const world = pacedWorld();
  const isSuppressed = async () => {
    // From the second place of a second it ends in the next one.
    await world.dependencies.sleep(600);
    return false;
  };
  for (const { message_id, slot } of await world.stored(4, bulk)) {
    world.at(addSeconds(new Date(slot?.at ?? ''), -1));
    let { outcome } = await dispatch({ ...world.dependencies, suppressions: { isSuppressed } }, message_id);
    while (outcome === 'waits_for_slot') {
      world.at(addSeconds(new Date(world.queued.at(-1)?.slotAt ?? ''), -1));
      ({ outcome } = await dispatch({ ...world.dependencies, suppressions: { isSuppressed } }, message_id));
    }
    expect(outcome).toBe('sent');
  }
  expect(world.handed).toHaveLength(4);
  for (const { at } of world.handed) expect(at.getMilliseconds()).toBeLessThanOrEqual(900);
});

describe('an attempt whose record takes longer than its slot', () => {
  it('is taken back, and made in the next free slot', async () => {
    const world = pacedWorld();
    const [message] = (await world.stored(1)) as [Message];
    let slow = true;
    const messages: typeof world.messages = {
      ...world.messages,
      async recordAttempt(...attempt) {
        const recorded = await world.messages.recordAttempt(...attempt);
        if (slow) world.at(addSeconds(world.clock(), 3));
        slow = false;
        return recorded;
      },
    };
    const dependencies = { ...world.dependencies, messages };
    expect((await dispatch(dependencies, message.message_id)).outcome).toBe('waits_for_slot');
    expect(world.handed).toEqual([]);
    expect((await world.messages.get(message.message_id))?.attempts).toBeUndefined();
    expect(world.queued).toHaveLength(1);
    expect((await dispatch(dependencies, message.message_id)).outcome).toBe('sent');
    const { attempts, slot } = (await world.messages.get(message.message_id)) ?? {};
    expect(attempts).toMatchObject([{ number: 1, outcome: 'accepted' }]);
    expect(slot === undefined || slot.at >= message.created_at).toBe(true);
    expect(world.handed.map(({ at }) => at.getUTCMilliseconds() < 900)).toEqual([true]);
  });
});

describe('a single send', () => {
  it('waits a moment in the worker, and in the queue with its slot in its row if others are before it', async () => {
    const world = pacedWorld();
    await world.stored(30);
    for (let index = 0; index < 30; index += 1) {
      world.at(created);
      await dispatch(world.dependencies, `msg_${index}`);
    }
    expect(world.handed.length).toBeGreaterThanOrEqual(4);
    expect(world.queued.length).toBe(30 - world.handed.length);
    for (const { messageId, slotAt } of world.queued)
      expect((await world.messages.get(messageId))?.slot?.at).toBe(slotAt);
    for (const entry of [...world.queued]) {
      world.at(created);
      await world.deliver(entry);
    }
    expect(world.handed).toHaveLength(30);
    const bySecond = Map.groupBy(world.handed, ({ at }) => at.toISOString().slice(0, 19));
    for (const some of bySecond.values()) expect(some.length).toBeLessThanOrEqual(2);
  });
});

describe('a carrier that throttles', () => {
  const throttled: HandOver = { outcome: 'throttled', reason: 'slow down' };

  it('slows a sender with a pace, and the message waits as any other, however often it waited for its slot', async () => {
    const world = pacedWorld(() => throttled);
    await world.stored(1, { handover_attempts: 8 });
    expect(await dispatch(world.dependencies, 'msg_0')).toMatchObject({
      outcome: 'try_again',
      requeuedForSeconds: 2,
    });
    const { slots } = await world.paces.read(sender.identity);
    expect(slots.slowed?.every).toBe(2);
  });

  it.each([
    ['without a sender', {}],
    ['of a sender without a pace', { sender: { identity: 'ACME' } }],
  ])('changes nothing for a message %s, which pacing costs nothing', async (_which, change) => {
    const world = pacedWorld(() => throttled);
    const { sender: _sender, ...message } = aMessage({ message_id: 'msg_0', status: 'queued' });
    await world.messages.create({ ...message, ...change });
    expect((await dispatch(world.dependencies, 'msg_0')).outcome).toBe('try_again');
    expect(world.calls).toEqual([]);
    expect(queuedMessageOf(outboundEntriesOf(message, created)[0] as OutboundEntry)).toEqual({
      message_id: 'msg_0',
    });
  });
});

it('a throttled attempt keeps its outcome, and is tried again, where too many slow the sender down at once', async () => {
  const world = pacedWorld(() => ({ outcome: 'throttled', reason: 'slow down' }));
  await world.stored(1);
  const slowDown = async () => {
    throw new Error('the slots of a sender are reserved by too many at once');
  };
  const warnings: string[] = [];
  const dependencies = {
    ...world.dependencies,
    pace: { ...world.pace, slowDown },
    warn: (text: string) => void warnings.push(text),
  };
  expect((await dispatch(dependencies, 'msg_0')).outcome).toBe('try_again');
  expect((await world.messages.get('msg_0'))?.attempts).toMatchObject([{ outcome: 'throttled' }]);
  expect(warnings).toHaveLength(1);
});

describe('a message whose claim a worker with a fast clock holds', () => {
  const heldUntil = addSeconds(created, 90).toISOString();
  const held = { status: 'sending', handover_until: heldUntil, handover_claim: 'claim-0' } as const;
  const attempt = { number: 1, carrier: 'aws', at: heldUntil, deadline: heldUntil };

  it.each([
    ['that missed its slot', [], true],
    ['that its carrier throttled', [{ ...attempt, outcome: 'throttled' as const }], true],
    ['that waits for a report', [attempt], false],
  ])(
    '%s is received again, unless its wait has an entry of its own',
    async (_, attempts, isReceivedAgain) => {
      const { dependencies, messages } = pacedWorld();
      await messages.create(aMessage({ message_id: 'msg_held', sender, segments: 1, ...held, attempts }));
      const { outcome, retryAfterSeconds } = await dispatch(dependencies, 'msg_held');
      expect({ outcome, isReceivedAgain: retryAfterSeconds !== undefined }).toEqual({
        outcome: 'held',
        isReceivedAgain,
      });
    },
  );
});
