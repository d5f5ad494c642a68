/** A pace that was lowered counts for what waits for its place as well (contract 14.4). */
import { expect, it } from '@jest/globals';
import type { SendKind } from '../../../shared/contract/channels.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryPace } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';

const waits = 60;

it.each<SendKind>(['single', 'otp'])('%s messages that wait keep to the lowered pace', async (kind) => {
  let now = created;
  const pace = inMemoryPace(() => now);
  const paced = (perSecond: number, sentAt: Date) => ({
    identity: '+447700900001',
    kind,
    perSecond,
    segments: 1,
    sentAt,
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
