/** A pace that was lowered counts for what waits for its place as well (contract 14.4). */
import { describe, expect, it } from '@jest/globals';
import type { SendKind } from '../../../shared/contract/channels.ts';
import type { EditedRow } from '../../../shared/edited-table/edited-row.ts';
import { reserveBulkSlots } from '../../../shared/message/dispatch/bulk-slots.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import {
  type OutboundEntry,
  outboundEntriesOf,
} from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryPace } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { pacedWorld, sender } from '../../support/message/paced-world.ts';

const waits = 60;

it.each<SendKind>(['single', 'otp'])('%s messages that wait keep to the lowered pace', async (kind) => {
  let now = created;
  const pace = inMemoryPace(() => now);
  const paced = (perSecond: number, at: Date) => ({
    identity: '+447700900001',
    kind,
    perSecond,
    segments: 1,
    paceAtMs: at.getTime(),
  });
  const waiting = Array.from({ length: waits }, () => paced(2, created));
  const slots = await pace.reserve(waiting, 300);
  // Five seconds later a message was accepted after an administrator lowered the pace to one in ten seconds.
  now = addSeconds(created, 5);
  await pace.reserve([paced(0.1, now)], 300);
  const handedOver: Date[] = [];
  for (const [index, message] of waiting.entries()) {
    const slot = slots[index];
    if (slot === undefined || new Date(slot.at) < addSeconds(created, 6)) continue;
    now = new Date(slot.at);
    const { outcome } = await pace.waitForSlot(message, slot, async () => undefined);
    if (outcome === 'now') handedOver.push(now);
  }
  // At most one in each ten seconds of the half minute for which they had reserved slots.
  expect(handedOver.length).toBeLessThanOrEqual(4);
});

describe('what waits, while nothing else is accepted for its sender,', () => {
  const row = { client_id: '*', destination: 'sms *', identity: sender.identity };
  const editedAt = addSeconds(created, 20);

  /** The seconds after the edit at which the messages were handed over, which the queue delivers from their slots on. */
  async function handedOver(
    change: Partial<Message>,
    edited: readonly EditedRow[] | undefined,
  ): Promise<{ readonly at: readonly number[]; readonly reads: number }> {
    const world = pacedWorld();
    world.edit([{ ...row, messages_per_second: 2 }]);
    const entries = (await world.stored(400, { batch_id: 'bat_1', ...change })).flatMap((message) =>
      outboundEntriesOf(message, created),
    );
    let isEdited = false;
    const due = ({ slotAt }: OutboundEntry) =>
      (slotAt === undefined ? addSeconds(editedAt, 60) : new Date(slotAt)).getTime();
    for (let next = entries.shift(); next !== undefined; next = entries.shift()) {
      const at = new Date(Math.max(due(next) - 500, world.clock().getTime()));
      if (!isEdited && at >= editedAt) {
        isEdited = true;
        world.edit(edited);
      }
      world.at(at);
      world.queued.length = 0;
      await world.deliver({ ...next, delaySeconds: 0 });
      entries.push(...world.queued);
      entries.sort((one, other) => due(one) - due(other));
    }
    expect(new Set(world.handed.map(({ id }) => id)).size).toBe(400);
    return {
      at: world.handed.map(({ at }) => (at.getTime() - editedAt.getTime()) / 1000),
      reads: world.rowReads(),
    };
  }
  const between = (at: readonly number[], from: number, to: number) =>
    at.filter((second) => second >= from && second < to).length;

  it('keeps to a lower pace within 60 s, by one read of the rows in 45 s', async () => {
    const { at, reads } = await handedOver({}, [{ ...row, messages_per_second: 0.5 }]);
    for (let from = 60; from < 660; from += 60) expect(between(at, from, from + 60)).toBeLessThanOrEqual(30);
    // And makes use of it.
    expect(between(at, 60, 660)).toBeGreaterThan(250);
    expect(reads).toBeLessThanOrEqual(Math.max(...at) / 45 + 2);
  });

  it('keeps to the first pace that its sender has, too', async () => {
    const { at } = await handedOver({ sender: { identity: sender.identity } }, [
      { ...row, messages_per_second: 0.5 },
    ]);
    expect(between(at, 0, 660)).toBeLessThanOrEqual(301);
  });

  it('keeps its places where the pace is raised, is removed, or cannot be read', async () => {
    const faster = [{ ...row, messages_per_second: 10 }];
    for (const edited of [faster, [row], undefined])
      expect(between((await handedOver({}, edited)).at, 0, 100)).toBeGreaterThanOrEqual(195);
  });

  it('keeps to a lower pace when a message comes whose request still had the former one', async () => {
    const world = pacedWorld();
    const [first] = (await world.stored(40, { batch_id: 'bat_1' })) as [Message];
    world.edit([{ ...row, messages_per_second: 0.5 }]);
    world.at(addSeconds(created, 25));
    await dispatch(world.dependencies, first.message_id);
    world.at(addSeconds(created, 60));
    const created_at = world.clock().toISOString();
    const other = aMessage({ ...first, message_id: 'msg_other', created_at });
    await reserveBulkSlots(world.pace, [other]);
    expect((await world.paces.read(sender.identity))?.slots.pace?.perSecond).toBe(0.5);
  });
});
