/** A message of a sender with a pace on its way to the carrier: it waits in the queue, and goes in its place (contract 14.4). */

import { describe, expect, it } from '@jest/globals';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { queuedEntryOf, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { expectedEndOf } from '../../../shared/message/dispatch/paced-message.ts';
import { reservePlace } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { firstLookOf } from '../../../shared/message/store/message-row.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { recordsAttempt, withCalls } from '../../support/engine/test-context.ts';
import { notTaken, recipientThrottled, throttled } from '../../support/message/attempt-world.ts';
import { aMessage, created, onlyCarrier } from '../../support/message/example-message.ts';
import { accepted, pacedWorld, sender } from '../../support/message/paced-world.ts';
import { mostInTenSeconds } from '../../support/message/simulated-pacing.ts';

const seconds = (at: Date | string = '') => (new Date(at).getTime() - created.getTime()) / 1000;
const bulk = { batch_id: 'bat_1' };
const row = { client_id: '*', destination: 'sms *', identity: sender.identity };

describe('a bulk message', () => {
  it('waits in the queue for its time, and no table is read or written before', async () => {
    const world = pacedWorld();
    const last = (await world.stored(5000, bulk)).at(-1) as Message;
    // 5,000 at two a second are more than the longest delay of a queue.
    expect(seconds(last.handover_until)).toBeCloseTo(2550, -1);
    let entry = queuedEntryOf(last, created);
    const delays = [entry.delaySeconds];
    for (; delays.length < 3; delays.push(entry.delaySeconds)) {
      world.queued.length = 0;
      await world.deliver(entry);
      expect(await readMessage(world.context, last.message_id)).toMatchObject(last);
      [entry = entry] = world.queued;
    }
    expect(delays.slice(0, 2)).toEqual([900, 900]);
    expect((await world.deliver(entry)).outcome).toBe('sent');
    expect(Math.abs(seconds(world.handed[0]?.at) - seconds(last.handover_until))).toBeLessThan(1.5);
  });

  it('and the others of its batch are expected to end at the time of the last, or when all can have gone', async () => {
    const world = pacedWorld();
    const all = await world.stored(20, bulk);
    const end = () => expectedEndOf(world.messages.all(), world.clock());
    expect(seconds(end())).toBeCloseTo(seconds(all.at(-1)?.handover_until) + 0.51, 2);
    // The first hand-over is long after.
    world.at(addSeconds(created, 1000));
    expect(seconds(end())).toBeCloseTo(1010.2, 1);
    for (const { message_id } of all)
      await transitionMessage(world.context, message_id, { to: 'failed', at: created });
    expect(end()).toBeUndefined();
  });

  it('that is scheduled waits from its time on', async () => {
    const world = pacedWorld();
    const scheduled_at = addSeconds(created, 3600).toISOString();
    const all = await world.stored(100, { ...bulk, status: 'scheduled', scheduled_at, segments: 3 });
    expect(all[0]?.handover_until).toBe(scheduled_at);
    expect(seconds(expectedEndOf(all, created))).toBeCloseTo(3753, 1);
    expect(world.tables.rows('sender_pace')).toEqual([]);
  });

  it('is not taken for lost while it waits, and is 90 seconds after its time', async () => {
    const world = pacedWorld();
    const message = (await world.stored(4000, bulk)).at(-1) as Message;
    expect(firstLookOf(message)).toEqual(addSeconds(new Date(message.handover_until ?? ''), 90));
  });

  it('that finds no place comes again at its time in the line, and a second queue message of it is dropped', async () => {
    const world = pacedWorld();
    await world.stored(200);
    for (let index = 0; index < 200; index += 1) {
      world.at(created);
      await dispatch(world.dependencies, `msg_${index}`);
    }
    const last = world.queued.at(-1);
    const until = addSeconds(created, last?.delaySeconds ?? 0);
    expect(seconds(until)).toBeCloseTo(100, -1);
    const { outcome, retryAfterSeconds } = await dispatch(world.dependencies, 'msg_199');
    expect([outcome, retryAfterSeconds]).toEqual(['held', undefined]);
    await world.deliverAll([...world.queued]);
    expect(new Set(world.handed.map(({ id }) => id)).size).toBe(200);
    expect(world.handed).toHaveLength(200);
  });
});

describe('an attempt that is recorded too late for its place', () => {
  it.each([200, 400, 700])(
    'reserves further ahead, so that tables that take %s ms are no obstacle',
    async (tableMs) => {
      const world = pacedWorld(undefined, tableMs);
      const entries = (await world.stored(5)).map((message) => queuedEntryOf(message, created));
      await world.deliverAll(entries);
      expect(new Set(world.handed.map(({ id }) => id)).size).toBe(5);
    },
  );

  it('is not waited for after the end of the message, which tries once more before it', async () => {
    const world = pacedWorld();
    const expires_at = addSeconds(created, 60).toISOString();
    const [message] = await world.stored(1, { expires_at });
    // Other messages have the places of the next 100 s.
    const paced = { identity: 'ACME', kind: 'bulk', perSecond: 2, segments: 200 } as const;
    await reservePlace(world.dependencies, paced);
    expect((await dispatch(world.dependencies, 'msg_0')).outcome).toBe('waits_for_pace');
    const [entry] = world.queued;
    expect(entry?.delaySeconds).toBe(50);
    world.at(addSeconds(created, 51));
    expect((await dispatch(world.dependencies, 'msg_0')).outcome).toBe('waits_for_pace');
    expect(await readMessage(world.context, 'msg_0')).toMatchObject({ due_at: message?.expires_at });
    world.at(addSeconds(created, 60));
    expect((await dispatch(world.dependencies, 'msg_0')).outcome).toBe('expired');
    expect(world.handed).toEqual([]);
  });

  it('is taken back, and made in the next place', async () => {
    const world = pacedWorld();
    await world.stored(1);
    let slow = true;
    const dependencies = withCalls(world.dependencies, async (call, run) => {
      const recorded = await run();
      if (slow && recordsAttempt(call)) {
        world.at(addSeconds(world.clock(), 3));
        slow = false;
      }
      return recorded;
    });
    expect((await dispatch(dependencies, 'msg_0')).outcome).toBe('waits_for_pace');
    expect(world.handed).toEqual([]);
    expect((await readMessage(world.context, 'msg_0'))?.attempts).toBeUndefined();
    expect(world.queued).toHaveLength(1);
    expect((await dispatch(dependencies, 'msg_0')).outcome).toBe('sent');
    const [handed] = world.handed;
    expect((await readMessage(world.context, 'msg_0'))?.attempts).toMatchObject([
      { number: 1, outcome: 'accepted', at: handed?.at.toISOString() },
    ]);
  });
});

it.each<[string, EditedRow, number]>([
  ['keep to a lower pace', { ...row, messages_per_second: 0.5 }, 0.5],
  ['do not come forward at a higher pace', { ...row, messages_per_second: 10 }, 2],
  ['keep the pace that they were accepted with if it is removed', row, 2],
])('messages that wait %s, within 60 s', async (_which, edited, perSecond) => {
  const world = pacedWorld();
  world.edit([{ ...row, messages_per_second: 2 }]);
  const entries = (await world.stored(300, bulk)).map((message) => queuedEntryOf(message, created));
  const editedAt = addSeconds(created, 20);
  await world.deliverAll(entries, (at) => at >= editedAt && world.edit([edited]));
  expect(new Set(world.handed.map(({ id }) => id)).size).toBe(300);
  const times = world.handed.map(({ at }) => at.getTime()).filter((ms) => ms > editedAt.getTime() + 60_000);
  expect(mostInTenSeconds(times)).toBeLessThanOrEqual(10 * perSecond + 1);
  expect(times.length * (1 / perSecond)).toBeGreaterThan(0.8 * (seconds(world.clock()) - 80));
});

describe('a message with two carriers', () => {
  it.each<[string, HandOver, string]>([
    ['refuses', notTaken, 'next_carrier'],
    ['throttles', throttled, 'try_again'],
  ])(
    'goes in a place of its sender at the next carrier if the first one %s it',
    async (_how, answer, outcome) => {
      const world = pacedWorld();
      const other = { identity: 'OTHER', messages_per_second: 2 };
      await world.stored(1, {
        senders: { second: other },
        expires_at: addSeconds(created, 3600).toISOString(),
      });
      const named = (name: string, answerOf: HandOver) =>
        onlyCarrier({
          name,
          async handOver() {
            world.handed.push({ id: name, at: world.clock() });
            return answerOf;
          },
        })();
      const carriers = [...named('first', answer), ...named('second', accepted)];
      const dependencies = { ...world.dependencies, carriersFor: () => carriers };
      expect((await dispatch(dependencies, 'msg_0')).outcome).toBe(outcome);
      world.at(addSeconds(world.clock(), 31));
      const rival = { ...other, kind: 'single', perSecond: 2, segments: 3 } as const;
      const { atMs } = await reservePlace(world.dependencies, rival);
      expect((await dispatch(dependencies, 'msg_0')).outcome).toBe('sent');
      expect(world.handed.map(({ id }) => id)).toEqual(['first', 'second']);
      expect(world.handed[1]?.at.getTime()).toBe(Math.round(atMs + 3 * 510));
    },
  );
});

it('repeats that a carrier recognizes keep to the pace', async () => {
  const world = pacedWorld();
  const outageEnds = addSeconds(created, 40);
  const takenMs: number[] = [];
  const carriersFor = onlyCarrier({
    async handOver() {
      if (world.clock() < outageEnds) throw new Error('the response was lost');
      takenMs.push(world.clock().getTime());
      return accepted;
    },
  });
  Object.assign(world.dependencies, { carriersFor });
  const all = await world.stored(100, { ...bulk, expires_at: addSeconds(created, 3600).toISOString() });
  await world.deliverAll(all.map((message) => queuedEntryOf(message, created)));
  expect(takenMs).toHaveLength(100);
  expect(mostInTenSeconds(takenMs)).toBeLessThanOrEqual(10 * sender.messages_per_second + 1);
});

describe('a carrier that throttles', () => {
  it('slows a sender with a pace, and the message waits as any other', async () => {
    const world = pacedWorld(() => throttled);
    await world.stored(1, { handover_attempts: 8 });
    expect(await dispatch(world.dependencies, 'msg_0')).toMatchObject({
      outcome: 'try_again',
      requeuedForSeconds: 2,
    });
    expect(world.tables.rows('sender_pace')).toMatchObject([
      { slowed_until_ms: world.clock().getTime() + 60_000 },
    ]);
  });

  it.each([
    ['without a sender', {}],
    ['of a sender without a pace', { sender: { identity: 'ACME' } }],
  ])('changes nothing for a message %s, which pacing costs nothing', async (_which, change) => {
    const world = pacedWorld(() => throttled);
    const { sender: _sender, ...message } = aMessage({ message_id: 'msg_0', status: 'queued' });
    await createMessage(world.context, { ...message, ...change });
    expect((await dispatch(world.dependencies, 'msg_0')).outcome).toBe('try_again');
    expect(world.tables.rows('sender_pace')).toEqual([]);
    expect(queuedMessageOf(queuedEntryOf(message, created))).toEqual({ message_id: 'msg_0' });
  });

  it('only for one recipient does not slow the sender', async () => {
    const world = pacedWorld(() => recipientThrottled);
    await world.stored(1);
    expect(await dispatch(world.dependencies, 'msg_0')).toMatchObject({ requeuedForSeconds: 6 });
    expect(world.tables.rows('sender_pace')[0]).not.toHaveProperty('slowed_until_ms');
  });

  it('has the attempt repeated although the sender cannot be slowed down', async () => {
    const world = pacedWorld(() => throttled);
    await world.stored(1);
    const warnings: string[] = [];
    const dependencies = {
      ...withCalls(world.dependencies, async ({ input }, run) => {
        if (String(input.UpdateExpression).includes('slowed_until_ms'))
          throw new Error('the table is not there');
        return run();
      }),
      warn: (text: string) => void warnings.push(text),
    };
    expect((await dispatch(dependencies, 'msg_0')).outcome).toBe('try_again');
    expect((await readMessage(world.context, 'msg_0'))?.attempts).toMatchObject([{ outcome: 'throttled' }]);
    expect(warnings).toHaveLength(1);
  });
});

describe('a message whose claim a worker with a fast clock holds', () => {
  const heldUntil = addSeconds(created, 90).toISOString();
  const held = { status: 'sending', handover_until: heldUntil, handover_claim: 'claim-0' } as const;
  const attempt = { number: 1, carrier: 'aws', at: heldUntil, deadline: heldUntil };

  it.each([
    ['that missed its place', [], true],
    ['that its carrier throttled', [{ ...attempt, outcome: 'throttled' as const }], true],
    ['that waits for a report', [attempt], false],
  ])(
    '%s is received again, unless its wait has an entry of its own',
    async (_, attempts, isReceivedAgain) => {
      const { context, dependencies } = pacedWorld();
      await createMessage(
        context,
        aMessage({ message_id: 'msg_held', sender, segments: 1, ...held, attempts }),
      );
      const { outcome, retryAfterSeconds } = await dispatch(dependencies, 'msg_held');
      expect({ outcome, isReceivedAgain: retryAfterSeconds !== undefined }).toEqual({
        outcome: 'held',
        isReceivedAgain,
      });
    },
  );
});
