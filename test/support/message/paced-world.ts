/** A worker that hands over messages of a sender with a pace: a clock that only its waits move, a queue, and the carrier's calls. */

import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import type { HandOver } from '../../../shared/message/dispatch/carrier.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { type OutboundEntry, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { lineUp } from '../../../shared/message/dispatch/paced-message.ts';
import { joinLine } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds, laterOf } from '../../../shared/platform/clock.ts';
import { currentPaces } from '../../../shared/sender/current-pace.ts';
import { dispatchContext } from '../doubles/dispatch-context.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { outboundSqs, recordsAttempt, withCalls } from '../engine/test-context.ts';
import { aMessage, created, onlyCarrier } from './example-message.ts';

export const sender = { identity: 'ACME', messages_per_second: 2 };
export const accepted: HandOver = { outcome: 'accepted', carrierMessageId: 'c-1' };

export function pacedWorld(answer: () => HandOver = () => accepted, tableMs = 0) {
  let now = created;
  const stores = inMemoryStores();
  const { messages, tables } = stores;
  const handed: { readonly id: string; readonly at: Date }[] = [];
  const queued: OutboundEntry[] = [];
  const clock = () => now;
  const sleep = async (ms: number) => {
    now = addSeconds(now, ms / 1000);
  };
  const context = withCalls({ ...stores.context, clock, sleep }, async (call, run) => {
    if (recordsAttempt(call)) await sleep(tableMs);
    const output = await run();
    if (call.input.TableName === 'sender_pace') await sleep(tableMs);
    return output;
  });
  let rows: readonly EditedRow[] | undefined = [];
  const allRows = async () => {
    if (rows === undefined) throw new Error('the table is not there');
    return rows;
  };
  const dependencies = dispatchContext({
    ...context,
    carriersFor: onlyCarrier({
      async handOver({ message }) {
        handed.push({ id: message.message_id, at: now });
        return answer();
      },
    }),
    currentPaceOf: currentPaces({ allRows }, clock),
    sqs: outboundSqs((entry) => queued.push(entry)),
    clock,
    sleep,
  });
  return {
    dependencies,
    context: stores.context,
    messages,
    tables,
    handed,
    queued,
    clock,
    at(time: Date) {
      now = time;
    },
    /** An administrator changes the rows of senders; if it is undefined, they cannot be read. */
    edit(changed?: readonly EditedRow[]) {
      rows = changed;
    },
    /** The queue delivers the entry after its delay. */
    deliver(entry: OutboundEntry) {
      now = addSeconds(now, entry.delaySeconds);
      return dispatchQueued(dependencies, queuedMessageOf(entry));
    },
    /** The queue delivers all entries, and those that follow, each after its delay. */
    async deliverAll(entries: readonly OutboundEntry[], before: (at: Date) => void = () => {}) {
      const waiting = entries.map((entry) => ({ entry, at: addSeconds(now, entry.delaySeconds) }));
      for (let steps = 0; waiting.length > 0 && steps < 20 * entries.length; steps += 1) {
        const next = waiting.shift();
        if (next === undefined) break;
        now = laterOf(now, next.at);
        before(now);
        queued.length = 0;
        await dispatchQueued(dependencies, queuedMessageOf(next.entry));
        waiting.push(...queued.map((entry) => ({ entry, at: addSeconds(now, entry.delaySeconds) })));
        waiting.sort((one, other) => one.at.getTime() - other.at.getTime());
      }
    },
    async stored(count: number, change: Partial<Message> = {}): Promise<readonly Message[]> {
      const all = Array.from({ length: count }, (_, index) =>
        aMessage({ message_id: `msg_${index}`, status: 'queued', sender, segments: 1, ...change }),
      );
      const isBulk = change.batch_id !== undefined;
      const stored = isBulk
        ? (await lineUp((...line) => joinLine(context, ...line), all, now)).messages
        : all;
      for (const message of stored) await createMessage(context, message);
      return stored;
    },
  };
}
