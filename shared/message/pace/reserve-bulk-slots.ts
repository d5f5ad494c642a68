/**
 * Gives the messages of a bulk request their slots before they are stored: one reservation for each sender of the request,
 * however many messages it has. They wait in the queue until their slots, and pass a worker only then.
 */
import type { Message } from '../message.ts';
import { endIfAlone } from './expected-end.ts';
import { pacedMessageOf, type SenderPace } from './sender-pace.ts';

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
      const all = some.map(({ paced }) => paced);
      if (waits !== undefined) return endIfAlone(all, Date.parse(waits));
      const slots = await pace.reserve(all, leadMs);
      for (const [position, { index, message }] of some.entries()) {
        const slot = slots[position];
        if (slot !== undefined) withSlots[index] = { ...message, slot };
      }
      return Date.parse(slots.at(-1)?.at ?? '');
    }),
  );
  return { messages: withSlots, expectedEndAt: new Date(Math.max(...ends)) };
}
