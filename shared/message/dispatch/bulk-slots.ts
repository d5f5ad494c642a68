/**
 * Gives the messages of a bulk request their slots before they are stored: one reservation for each sender of the request,
 * however many messages it has. They wait in the queue until their slots, and pass a worker only then.
 */
import type { Message, Status } from '../message.ts';
import { type PacedMessage, pacedMessageOf, type SlotReservations, slotRequestOf } from './reserve-slots.ts';
import { noSlots, reserve } from './sender-pace.ts';

interface BulkSlots {
  readonly messages: readonly Message[];
  /** When the last message is expected to be handed over; undefined if no sender of the request has a pace. */
  readonly expectedEndAt?: Date;
}

/** Time for storing and relaying the messages; a message that misses its slot gets another at the end. */
const leadMs = 3000;

export async function reserveBulkSlots(
  pace: Pick<SlotReservations, 'reserve'>,
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
      const last = slots.at(-1);
      if (last !== undefined) return Date.parse(last.at);
      // Without slots: each message reserves its own when a worker has it.
      return endIfAlone(all, Math.max(...some.map(({ message }) => Date.parse(message.created_at))) + leadMs);
    }),
  );
  return { messages: withSlots, expectedEndAt: new Date(Math.max(...ends)) };
}

const waitingStates: ReadonlySet<Status> = new Set(['scheduled', 'queued', 'sending']);

/**
 * When the messages of a batch that still wait are expected to be handed over, as far as their slots tell: for the status of
 * a batch. `reserveBulkSlots` says it in the response to a bulk request. Undefined where no message of a sender with a pace
 * waits.
 */
export function expectedEndOf(messages: readonly Message[], now: Date): Date | undefined {
  const waiting = messages.flatMap((message) => {
    const paced = waitingStates.has(message.status) ? pacedMessageOf(message) : undefined;
    return paced === undefined ? [] : [{ ...message, paced }];
  });
  const ends = [...Map.groupBy(waiting, ({ paced }) => paced.identity).values()].flatMap((some) => [
    // A message that has missed its slot reserves another: together they take at least as long as they would alone.
    endIfAlone(
      some.map(({ paced }) => paced),
      Math.max(
        now.getTime(),
        ...some.map(({ scheduled_at }) => Date.parse(scheduled_at ?? now.toISOString())),
      ),
    ),
    ...some.map(({ slot }) => (slot === undefined ? 0 : Date.parse(slot.at))),
  ]);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

/** When the last of these messages of one sender is handed over if the sender has nothing else to send. */
function endIfAlone(messages: readonly PacedMessage[], earliestMs: number): number {
  const [first] = messages;
  if (first === undefined) return earliestMs;
  const { reserved } = reserve(noSlots, slotRequestOf(first, messages, earliestMs), new Date(earliestMs));
  return Date.parse(reserved.at(-1)?.at ?? '');
}
