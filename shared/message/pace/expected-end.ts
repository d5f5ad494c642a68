/**
 * When the messages of a batch that still wait are expected to be handed over, as far as their slots tell: for the status of
 * a batch. `reserve-bulk-slots.ts` says it in the response to a bulk request.
 */
import type { Message, Status } from '../message.ts';
import { type PacedMessage, pacedMessageOf, slotRequestOf } from './sender-pace.ts';
import { noSlots, reserve } from './sender-slots.ts';

const waits: ReadonlySet<Status> = new Set(['scheduled', 'queued', 'sending']);

/** Undefined where no message of a sender with a pace waits. */
export function expectedEndOf(messages: readonly Message[], now: Date): Date | undefined {
  const waiting = messages.flatMap((message) => {
    const paced = waits.has(message.status) ? pacedMessageOf(message) : undefined;
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
export function endIfAlone(messages: readonly PacedMessage[], earliestMs: number): number {
  const [first] = messages;
  if (first === undefined) return earliestMs;
  const { reserved } = reserve(noSlots, slotRequestOf(first, messages, earliestMs), new Date(earliestMs));
  return Date.parse(reserved.at(-1)?.at ?? '');
}
