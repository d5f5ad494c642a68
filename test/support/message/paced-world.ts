/** Workers that hand over messages of a sender with a pace: a clock that only their waits move, a queue, and what the carrier was given. */

import type { EditedRow } from '../../../shared/edited-table/edited-row.ts';
import { reserveBulkSlots } from '../../../shared/message/dispatch/bulk-slots.ts';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { type OutboundEntry, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { slotReservations } from '../../../shared/message/dispatch/reserve-slots.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { currentPaces } from '../../../shared/sender/current-pace.ts';
import { dispatchDependencies } from '../doubles/dispatch-dependencies.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { aMessage, created, onlyCarrier } from './example-message.ts';

export const sender = { identity: 'ACME', messages_per_second: 2 };
export const accepted: HandOver = { outcome: 'accepted', carrierMessageId: 'c-1' };

export function pacedWorld(answer: () => HandOver = () => accepted, tableMs = 0) {
  let now = created;
  const { messages, senderPaces: paces } = inMemoryStores();
  const calls: string[] = [];
  const handed: { readonly id: string; readonly at: Date }[] = [];
  const queued: OutboundEntry[] = [];
  const clock = () => now;
  const sleep = async (ms: number) => {
    now = addSeconds(now, ms / 1000);
  };
  const store: typeof paces = {
    async read(identity) {
      calls.push('read');
      await sleep(tableMs);
      return paces.read(identity);
    },
    async replace(...change) {
      calls.push('write');
      await sleep(tableMs);
      return paces.replace(...change);
    },
  };
  const pace = slotReservations({ store, clock, sleep, random: () => 0.5 });
  let rows: readonly EditedRow[] | undefined = [];
  let rowReads = 0;
  const allRows = async () => {
    rowReads += 1;
    if (rows === undefined) throw new Error('the table is not there');
    return rows;
  };
  const dependencies = dispatchDependencies({
    messages,
    carriersFor: onlyCarrier({
      async handOver({ message }) {
        handed.push({ id: message.message_id, at: now });
        return answer();
      },
    }),
    pace,
    currentPaceOf: currentPaces({ allRows }, clock),
    outbound: { enqueue: async (entries) => void queued.push(...entries) },
    clock,
    sleep,
  });
  return {
    dependencies,
    messages,
    paces,
    pace,
    calls,
    handed,
    queued,
    clock,
    at(time: Date) {
      now = time;
    },
    rowReads: () => rowReads,
    /** An administrator changes the rows of senders; without any, they cannot be read. */
    edit(changed?: readonly EditedRow[]) {
      rows = changed;
    },
    /** The queue delivers the entry after its delay. */
    deliver(entry: OutboundEntry) {
      now = addSeconds(now, entry.delaySeconds ?? 0);
      return dispatchQueued(dependencies, queuedMessageOf(entry));
    },
    async stored(count: number, change: Partial<Message> = {}): Promise<Message[]> {
      const all = Array.from({ length: count }, (_, index) =>
        aMessage({ message_id: `msg_${index}`, status: 'queued', sender, segments: 1, ...change }),
      );
      const { messages: withSlots } =
        change.batch_id === undefined ? { messages: all } : await reserveBulkSlots(pace, all);
      for (const message of withSlots) await messages.create(message);
      return [...withSlots];
    },
  };
}
