/**
 * Gives the messages of a bulk request their slots before they are stored: one reservation for each sender of the request,
 * however many messages it has. They wait in the queue until their slots, and pass a worker only then.
 */
import { addSeconds } from '../../platform/clock.ts';
import type { Message } from '../message.ts';
import { type PacedMessage, pacedMessageOf, type SenderPace } from './sender-pace.ts';

interface BulkSlots {
  readonly messages: readonly Message[];
  /** When the last message is expected to be handed over; undefined if no sender of the request has a pace. */
  readonly expectedEndAt?: Date;
}

/** Time for storing and relaying the messages; a message that misses its slot gets another at the end. */
const leadMs = 3000;

export async function reserveBulkSlots(
  pace: Pick<SenderPace, 'reserve'>,
  messages: readonly Message[],
): Promise<BulkSlots> {
  const withPace = messages.flatMap((message, index) => {
    const paced = pacedMessageOf(message);
    return paced === undefined ? [] : [{ index, message, paced }];
  });
  const bySender = Map.groupBy(withPace, ({ paced }) => paced.identity);
  if (bySender.size === 0) return { messages };
  const withSlots = [...messages];
  const ends = await Promise.all(
    [...bySender.values()].map(async (some) => {
      const waits = some.map(({ message }) => message.scheduled_at).find((at) => at !== undefined);
      // A slot cannot be reserved now for a later time: scheduled messages reserve theirs when they are due.
      if (waits !== undefined) return addSeconds(new Date(waits), secondsFor(some.map(({ paced }) => paced)));
      const slots = await pace.reserve(
        some.map(({ paced }) => paced),
        leadMs,
      );
      for (const [position, { index, message }] of some.entries()) {
        const slot = slots[position];
        if (slot !== undefined) withSlots[index] = { ...message, slot };
      }
      return new Date(slots.at(-1)?.at ?? 0);
    }),
  );
  return { messages: withSlots, expectedEndAt: new Date(Math.max(...ends.map((end) => end.getTime()))) };
}

function secondsFor(paced: readonly PacedMessage[]): number {
  return paced.reduce((total, { segments, perSecond }) => total + segments / perSecond, 0);
}
