/**
 * A bulk of a sender with a pace on the gateway's own code with a virtual clock: queues with delays of whole seconds, each
 * kind with its own workers, which take batches of ten and have their own view of the sender's slots, tables and a carrier
 * that take their time. One-time passwords of the same sender and single sends of another client go in between.
 */

import { expectedEndOf, reserveBulkSlots } from '../../../shared/message/dispatch/bulk-slots.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import {
  type OutboundEntry,
  outboundEntriesOf,
  queuedMessageOf,
} from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { slotReservations } from '../../../shared/message/dispatch/reserve-slots.ts';
import type { Message } from '../../../shared/message/message.ts';
import { dispatchDependencies } from '../doubles/dispatch-dependencies.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { virtualTime } from '../simulation/virtual-time.ts';
import type { PacedRun } from './broken-pacing.ts';
import { aMessage, created, onlyCarrier } from './example-message.ts';

const messagesOfRequest = 1000;
const batchSize = 10;
const probes = 100;
const watchMs = 2000;
/** How many workers a stage has. */
const workers = { otp: 10, single: 20, bulk: 20 };

interface Options {
  readonly total: number;
  readonly perSecond: number;
  readonly seed: number;
}

export async function simulatedPacing({ total, perSecond, seed }: Options): Promise<PacedRun> {
  const time = virtualTime(created.getTime());
  const random = randomFrom(seed);
  const between = (from: number, to: number) => time.sleep(from + random() * (to - from));
  const clock = () => new Date(time.now());
  const messages = slow(inMemoryStores().messages);
  const paces = slow(inMemoryStores().senderPaces);
  const handedOverMs = new Map<string, number>();
  let inFlight = 0;

  /** Each call takes as long as one to a table. */
  function slow<T extends object>(store: T): T {
    const calls = Object.entries(store).map(([name, call]: [string, (...values: unknown[]) => unknown]) => [
      name,
      async (...values: unknown[]) => {
        await between(4, 20);
        return call(...values);
      },
    ]);
    return Object.fromEntries(calls) as T;
  }

  function paceOfProcess() {
    return slotReservations({ store: paces, clock, sleep: time.sleep, random });
  }

  function queueOf(kind: OutboundEntry['kind']) {
    const shown: OutboundEntry[] = [];
    const idle = Array.from({ length: workers[kind] }, newWorker);
    function feed(): void {
      while (shown.length > 0) {
        const worker = idle.pop();
        if (worker === undefined) return;
        const batch = shown.splice(0, batchSize);
        if (kind === 'bulk') inFlight += batch.length;
        Promise.all(batch.map((entry) => dispatchQueued(worker, queuedMessageOf(entry)))).then(() => {
          if (kind === 'bulk') inFlight -= batch.length;
          idle.push(worker);
          feed();
        });
      }
    }
    return (entry: OutboundEntry): void =>
      time.at(time.now() + (entry.delaySeconds ?? 0) * 1000 + random() * 300, () => {
        shown.push(entry);
        feed();
      });
  }

  function newWorker() {
    return dispatchDependencies({
      messages,
      carriersFor: onlyCarrier({
        async handOver({ message: { message_id } }) {
          if (handedOverMs.has(message_id)) throw new Error('a message was handed over twice');
          handedOverMs.set(message_id, time.now());
          await between(30, 150);
          return { outcome: 'accepted', carrierMessageId: message_id };
        },
      }),
      suppressions: slow({ isSuppressed: async () => false }),
      pace: paceOfProcess(),
      outbound: { enqueue: async (entries) => entries.forEach(enqueue) },
      clock,
      sleep: time.sleep,
    });
  }

  const queues = { otp: queueOf('otp'), single: queueOf('single'), bulk: queueOf('bulk') };
  function enqueue(entry: OutboundEntry): void {
    queues[entry.kind](entry);
  }
  /** The stream brings it to the relay, which sends it to its queue. */
  async function relayed(message: Message): Promise<void> {
    await between(100, 600);
    outboundEntriesOf(message, clock()).forEach(enqueue);
  }

  const sender = { identity: 'ACME', messages_per_second: perSecond };
  const make = (message_id: string, more: Partial<Message>) =>
    aMessage({ message_id, segments: 1, created_at: clock().toISOString(), ...more });
  const send = async (message: Message) => {
    await messages.create(message);
    relayed(message);
    return message.message_id;
  };
  const ids = { bulk: [] as string[], otp: [] as string[], single: [] as string[] };
  const createdMs = new Map<string, number>();
  let expectedEndMs = 0;
  let expectedEndAtHalfMs = 0;
  const counts: number[] = [];

  async function sendBulk(): Promise<void> {
    const pace = paceOfProcess();
    for (let from = 0; from < total; from += messagesOfRequest) {
      const count = Math.min(messagesOfRequest, total - from);
      const unpaced = Array.from({ length: count }, (_, row) =>
        make(`bulk-${from + row}`, { batch_id: `bat_${from}`, sender }),
      );
      const { messages: paced, expectedEndAt } = await reserveBulkSlots(pace, unpaced);
      expectedEndMs = expectedEndAt?.getTime() ?? 0;
      await between(500, 1500);
      await messages.createMany(paced);
      paced.forEach(relayed);
      ids.bulk.push(...paced.map(({ message_id }) => message_id));
    }
    await time.sleep((expectedEndMs - time.now()) / 2);
    expectedEndAtHalfMs = expectedEndOf(await messages.getMany(ids.bulk), clock())?.getTime() ?? 0;
  }

  async function sendOthers(): Promise<void> {
    const everyMs = ((total / perSecond) * 800) / probes;
    const otp = {
      otp_id: 'otp',
      code_length: 6,
      expires_at: '2026-11-20T23:00:00.000Z',
      attempts_remaining: 5,
    };
    for (let probe = 0; probe < probes; probe += 1) {
      createdMs.set(`otp-${probe}`, time.now());
      createdMs.set(`single-${probe}`, time.now());
      ids.otp.push(await send(make(`otp-${probe}`, { otp, sender })));
      ids.single.push(await send(make(`single-${probe}`, { client_id: 'other' })));
      await time.sleep(everyMs * (0.5 + random()));
    }
  }

  const beganMs = time.now();
  const sending = Promise.all([sendBulk(), sendOthers()]);
  const all = total + 2 * probes;
  while (handedOverMs.size < all && time.now() - beganMs < 3 * (total / perSecond) * 1000 + 60_000) {
    await time.runUntil(time.now() + watchMs);
    counts.push(inFlight);
  }
  await sending;
  const timesOf = (some: readonly string[]) =>
    some.map((id) => handedOverMs.get(id) ?? Number.POSITIVE_INFINITY);
  const waitsOf = (some: readonly string[]) =>
    some.map((id) => (handedOverMs.get(id) ?? Number.POSITIVE_INFINITY) - (createdMs.get(id) ?? 0));
  return {
    perSecond,
    beganMs,
    bulkMs: timesOf(ids.bulk),
    otpMs: timesOf(ids.otp),
    otpWaitsMs: waitsOf(ids.otp),
    singleWaitsMs: waitsOf(ids.single),
    expectedEndMs,
    expectedEndAtHalfMs,
    inFlight: counts,
  };
}
