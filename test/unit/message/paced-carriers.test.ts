/** A message of which each carrier has a sender with a pace of its own: a slot of one sender is none of another. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch, dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { type QueuedMessage, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { type PacedMessage, pacedMessageOf } from '../../../shared/message/dispatch/reserve-slots.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { notTaken, ownRefusal, throttled } from '../../support/message/attempt-world.ts';
import { created, onlyCarrier } from '../../support/message/example-message.ts';
import { accepted, pacedWorld, sender } from '../../support/message/paced-world.ts';

const other = { identity: 'OTHER', messages_per_second: 2 };
const bulk = { batch_id: 'bat_1', senders: { second: other } };
const stepsMax = 500;

/** A world with two carriers; the answers of the first are given, and the second accepts all. */
function twoCarriers(answers: HandOver[]) {
  const world = pacedWorld();
  const named = (name: string, answer: () => HandOver) =>
    onlyCarrier({
      name,
      async handOver({ message }) {
        world.handed.push({ id: `${name} ${message.message_id}`, at: world.clock() });
        return answer();
      },
    })();
  const carriers = [...named('first', () => answers.shift() ?? accepted), ...named('second', () => accepted)];
  return { ...world, dependencies: { ...world.dependencies, carriersFor: () => carriers } };
}

describe('a message that its first carrier refuses in its slot', () => {
  it('waits for a slot of the sender at the next carrier, of which others fill each second', async () => {
    const world = twoCarriers([notTaken]);
    const [message] = (await world.stored(1, bulk)) as [Message];
    const slotAt = new Date(message.slot?.at ?? '');
    world.at(addSeconds(slotAt, -1));
    const taken = await world.pace.reserve(rivals(message, other, 4), 0);
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('next_carrier');
    const attempt = { at: slotAt.toISOString(), deadline: addSeconds(slotAt, 300).toISOString() };
    expect((await world.messages.get(message.message_id))?.attempts).toMatchObject([attempt]);
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('sent');
    expect(world.handed).toMatchObject([{ at: slotAt }, { id: `second ${message.message_id}` }]);
    const { sent_at } = (await world.messages.get(message.message_id)) ?? {};
    expect(sent_at).toBe(world.handed[1]?.at.toISOString());
    expect(taken.map(({ period_start }) => period_start.slice(0, 19))).not.toContain(sent_at?.slice(0, 19));
  });
});

describe('a message that its first carrier throttles', () => {
  it('does not go by the next carrier in a slot that it reserved at the first', async () => {
    const world = twoCarriers([throttled]);
    const [message] = (await world.stored(1, { senders: bulk.senders })) as [Message];
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('try_again');
    // The next slot of the first sender comes when the second carrier is asked instead.
    world.at(addSeconds(world.clock(), 20));
    await world.pace.reserve(rivals(message, sender, 40), 0);
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('waits_for_slot');
    const { slot } = (await world.messages.get(message.message_id)) ?? {};
    world.at(addSeconds(new Date(slot?.at ?? ''), -2));
    const taken = await world.pace.reserve(rivals(message, other, 8), 0);
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('waits_for_slot');
    const { slot: next } = (await world.messages.get(message.message_id)) ?? {};
    expect(next).toMatchObject({ identity: other.identity });
    expect(taken.map(({ period_start }) => period_start)).not.toContain(next?.period_start);
    world.at(addSeconds(new Date(next?.at ?? ''), -1));
    expect((await dispatch(world.dependencies, message.message_id)).outcome).toBe('sent');
    expect(world.handed.at(-1)).toEqual({ id: `second ${message.message_id}`, at: new Date(next?.at ?? '') });
  });
});

describe('messages whose carrier recognizes repeats', () => {
  it('are repeated within the pace of their sender after an outage, and slow it where the carrier throttles', async () => {
    const world = pacedWorld();
    const outageEnds = addSeconds(created, 40);
    const taken: string[] = [];
    const carriersFor = onlyCarrier({
      async handOver() {
        if (world.clock() < outageEnds) throw new Error('the response was lost');
        taken.push(world.clock().toISOString().slice(0, 19));
        return accepted;
      },
    });
    const expires_at = addSeconds(created, 3600).toISOString();
    const all = await world.stored(100, { batch_id: 'bat_1', expires_at });
    const waiting = all.map((message) => ({
      at: addSeconds(new Date(message.slot?.at ?? ''), -1),
      queued: { message_id: message.message_id } as QueuedMessage,
    }));
    while (waiting.length > 0) {
      waiting.sort((one, two) => one.at.getTime() - two.at.getTime());
      const [next] = waiting.splice(0, 1);
      if (next === undefined) break;
      world.at(later(world.clock(), next.at));
      world.queued.length = 0;
      await dispatchQueued({ ...world.dependencies, carriersFor }, next.queued);
      for (const entry of world.queued)
        waiting.push({
          at: addSeconds(world.clock(), entry.delaySeconds ?? 0),
          queued: queuedMessageOf(entry),
        });
    }
    expect(taken).toHaveLength(all.length);
    for (const inSecond of Object.values(Object.groupBy(taken, (second) => second)))
      expect(inSecond?.length).toBeLessThanOrEqual(sender.messages_per_second);

    let answer: HandOver | undefined;
    const throttling = onlyCarrier({
      async handOver() {
        if (answer === undefined) throw new Error('the response was lost');
        return answer;
      },
    });
    const [message] = (await world.stored(1, { message_id: 'msg_throttled', expires_at })) as [Message];
    const dependencies = { ...world.dependencies, carriersFor: throttling };
    await dispatch(dependencies, message.message_id);
    answer = throttled;
    world.at(addSeconds(world.clock(), 10));
    await dispatch(dependencies, message.message_id);
    expect((await world.paces.read(sender.identity)).slots.slowed).toMatchObject({ every: 2 });
  });
});

describe('messages of two carriers, each with a sender of its own', () => {
  it('are each handed over in a second of their sender with room, whatever the first carrier answers', async () => {
    const answer = fc.constantFrom(accepted, notTaken, ownRefusal, throttled, throttled);
    const rival = fc.record({ of: fc.constantFrom(sender, other), count: fc.integer({ min: 1, max: 20 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        fc.array(answer, { minLength: 8, maxLength: 30 }),
        fc.array(fc.option(rival), { maxLength: 30 }),
        fc.constantFrom(0, 0.2, 1),
        async (count, isBulk, answers, reservations, queueSeconds) => {
          const world = twoCarriers([...answers]);
          const { batch_id: _none, ...single } = bulk;
          const all = await world.stored(count, isBulk ? bulk : single);
          const [first] = all as [Message];
          const places: string[] = [];
          const waiting = all.map(({ message_id: id, slot }) => ({ id, dueAt: slot?.at ?? '' }));
          for (let steps = 0; waiting.length > 0 && steps < stepsMax; steps += 1) {
            waiting.sort((one, two) => (one.dueAt < two.dueAt ? -1 : 1));
            const next = waiting.shift();
            if (next === undefined) break;
            // A worker takes the message up to a second before its slot.
            if (next.dueAt !== '') world.at(later(world.clock(), addSeconds(new Date(next.dueAt), -1)));
            const taken = reservations[steps];
            if (taken) {
              const slots = await world.pace.reserve(rivals(first, taken.of, taken.count), 0);
              const name = taken.of === sender ? 'first' : 'second';
              places.push(...slots.map(({ period_start }) => `${name} ${period_start.slice(0, 19)}`));
            }
            world.queued.length = 0;
            await dispatch(world.dependencies, next.id);
            for (const { slotAt, delaySeconds = 0 } of world.queued)
              waiting.push({
                id: next.id,
                dueAt: slotAt ?? addSeconds(world.clock(), delaySeconds + queueSeconds).toISOString(),
              });
          }
          expect(waiting).toEqual([]);
          places.push(
            ...world.handed.map(({ id, at }) => `${id.split(' ')[0]} ${at.toISOString().slice(0, 19)}`),
          );
          for (const inSecond of Object.values(Object.groupBy(places, (place) => place)))
            expect(inSecond?.length).toBeLessThanOrEqual(sender.messages_per_second);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** So many other messages of the sender. */
function rivals(message: Message, of: typeof sender, count: number): PacedMessage[] {
  const rival = pacedMessageOf({ ...message, sender: of });
  return rival === undefined ? [] : Array(count).fill(rival);
}

function later(one: Date, two: Date): Date {
  return one > two ? one : two;
}
