/** A message of which each carrier has a sender with a pace of its own: a slot of one sender is none of another. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { pacedMessageOf } from '../../../shared/message/dispatch/reserve-slots.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { notTaken, ownRefusal, throttled } from '../../support/message/attempt-world.ts';
import { onlyCarrier } from '../../support/message/example-message.ts';
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
    const rival = pacedMessageOf({ ...message, sender: other });
    if (rival === undefined) throw new Error('the other sender has a pace');
    const taken = await world.pace.reserve([rival, rival, rival, rival], 0);
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

describe('messages of two carriers, each with a sender of its own', () => {
  it('are each handed over in a second of their sender with room, whatever the first carrier answers', async () => {
    const answer = fc.constantFrom(accepted, notTaken, ownRefusal, throttled);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        fc.array(answer, { minLength: 8, maxLength: 20 }),
        fc.integer({ min: 0, max: 8 }),
        fc.constantFrom(0, 0.2, 1),
        async (count, isBulk, answers, rivals, queueSeconds) => {
          const world = twoCarriers([...answers]);
          const { batch_id: _none, ...single } = bulk;
          const all = await world.stored(count, isBulk ? bulk : single);
          const rival = pacedMessageOf({ ...(all[0] as Message), sender: other });
          const taken = rival === undefined ? [] : await world.pace.reserve(Array(rivals).fill(rival), 0);
          const waiting = all.map(({ message_id: id, slot }) => ({ id, dueAt: slot?.at ?? '' }));
          for (let steps = 0; waiting.length > 0 && steps < stepsMax; steps += 1) {
            waiting.sort((one, two) => (one.dueAt < two.dueAt ? -1 : 1));
            const next = waiting.shift();
            if (next === undefined) break;
            // A worker takes the message up to a second before its slot.
            if (next.dueAt !== '') world.at(later(world.clock(), addSeconds(new Date(next.dueAt), -1)));
            world.queued.length = 0;
            await dispatch(world.dependencies, next.id);
            for (const { slotAt, delaySeconds = 0 } of world.queued)
              waiting.push({
                id: next.id,
                dueAt: slotAt ?? addSeconds(world.clock(), delaySeconds + queueSeconds).toISOString(),
              });
          }
          expect(waiting).toEqual([]);
          const places = [
            ...world.handed.map(({ id, at }) => `${id.split(' ')[0]} ${at.toISOString().slice(0, 19)}`),
            ...taken.map(({ period_start }) => `second ${period_start.slice(0, 19)}`),
          ];
          for (const inSecond of Object.values(Object.groupBy(places, (place) => place)))
            expect(inSecond?.length).toBeLessThanOrEqual(sender.messages_per_second);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function later(one: Date, two: Date): Date {
  return one > two ? one : two;
}
