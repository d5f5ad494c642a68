/**
 * A bulk of a sender with a pace on the gateway's own code, in virtual time: queues with delays of whole seconds, each kind with
 * its own workers, which take batches of ten, and tables and a carrier that take their time. One-time passwords of the same
 * sender go in between. Workers may freeze for up to 5 s, also between two lines, and their clocks are up to 100 ms apart.
 */

import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import {
  type OutboundEntry,
  queuedEntryOf,
  queuedMessageOf,
} from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { expectedEndOf, lineUp } from '../../../shared/message/dispatch/paced-message.ts';
import { joinLine } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import {
  createMessage,
  createMessages,
  readMessages,
} from '../../../shared/message/store/messages.dynamo.ts';
import { dispatchContext } from '../doubles/dispatch-context.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { outboundSqs, withCalls } from '../engine/test-context.ts';
import { virtualTime } from '../simulation/virtual-time.ts';
import { aMessage, created, onlyCarrier } from './example-message.ts';

const messagesOfRequest = 1000;
const batchSize = 10;
const clocksApartMs = 100;
/** How many workers a stage has. */
const workers = { otp: 10, single: 20, bulk: 20 };

interface Options {
  readonly total: number;
  readonly perSecond: number;
  readonly seed: number;
  /** One-time passwords, in the time that the bulk takes at least. */
  readonly passwords: number;
  /** From the end of a freeze to the next one of the same worker, at most; undefined: none freezes. */
  readonly freezesEveryMs?: number;
}

export async function simulatedPacing({ total, perSecond, seed, passwords, freezesEveryMs }: Options) {
  const time = virtualTime(created.getTime());
  const random = randomFrom(seed);
  const between = (from: number, to: number) => time.sleep(from + random() * (to - from));
  const clock = () => new Date(time.now());
  const stores = inMemoryStores();
  const handedOverMs = new Map<string, number>();
  const receivesOf = new Map<string, number>();

  type Freeze = () => Promise<void>;

  /** A context whose calls take as long as those to a table. */
  const slow = (freeze: Freeze) =>
    withCalls(stores.context, async (_call, run) => {
      await between(2, 10);
      const result = await run();
      await between(2, 10);
      await freeze();
      return result;
    });
  const paced = { ...slow(async () => {}), clock };

  function queueOf(kind: OutboundEntry['kind']) {
    const shown: OutboundEntry[] = [];
    const idle = Array.from({ length: workers[kind] }, newWorker);
    function feed(): void {
      while (shown.length > 0) {
        const worker = idle.pop();
        if (worker === undefined) return;
        const batch = shown.splice(0, batchSize);
        for (const { messageId } of batch) receivesOf.set(messageId, (receivesOf.get(messageId) ?? 0) + 1);
        const dispatched = batch.map(async (entry) => {
          const { retryAfterSeconds } = await dispatchQueued(worker, queuedMessageOf(entry));
          if (retryAfterSeconds !== undefined) show({ ...entry, delaySeconds: retryAfterSeconds });
        });
        Promise.all(dispatched).then(() => {
          idle.push(worker);
          feed();
        });
      }
    }
    function show(entry: OutboundEntry): void {
      time.at(time.now() + entry.delaySeconds * 1000 + random() * 300, () => {
        shown.push(entry);
        feed();
      });
    }
    return show;
  }

  function newWorker() {
    const offMs = random() * clocksApartMs;
    const ownClock = () => new Date(time.now() + offMs);
    let frozenUntilMs = 0;
    const freeze: Freeze = async () => {
      if (frozenUntilMs > time.now()) await time.sleep(frozenUntilMs - time.now());
    };
    const freezeAgain = () => {
      if (freezesEveryMs === undefined) return;
      time.at(time.now() + random() * freezesEveryMs, () => {
        frozenUntilMs = time.now() + random() * 5000;
        time.at(frozenUntilMs, freezeAgain);
      });
    };
    freezeAgain();
    return dispatchContext({
      ...slow(freeze),
      carriersFor: onlyCarrier({
        async handOver({ message: { message_id } }) {
          if (handedOverMs.has(message_id)) throw new Error('a message was handed over twice');
          handedOverMs.set(message_id, time.now());
          await between(30, 150);
          return { outcome: 'accepted', carrierMessageId: message_id };
        },
      }),
      sqs: outboundSqs(enqueue),
      clock: ownClock,
      sleep: async (ms) => {
        await time.sleep(ms);
        await freeze();
      },
    });
  }

  const queues = { otp: queueOf('otp'), single: queueOf('single'), bulk: queueOf('bulk') };
  function enqueue(entry: OutboundEntry): void {
    queues[entry.kind](entry);
  }
  /** The stream brings it to the relay, which sends it to its queue. */
  async function relayed(message: Message): Promise<void> {
    await between(100, 400);
    enqueue(queuedEntryOf(message, clock()));
  }

  const sender = { identity: 'ACME', messages_per_second: perSecond };
  const make = (message_id: string, more: Partial<Message>) =>
    aMessage({ message_id, segments: 1, created_at: clock().toISOString(), sender, ...more });
  const bulk: string[] = [];
  const acceptedMs = new Map<string, number>();
  let expectedEndMs = 0;
  let expectedEndAtHalfMs = 0;

  async function sendBulk(): Promise<void> {
    for (let from = 0; from < total; from += messagesOfRequest) {
      const count = Math.min(messagesOfRequest, total - from);
      const all = Array.from({ length: count }, (_, row) =>
        make(`bulk-${from + row}`, { batch_id: `bat_${from}` }),
      );
      const { messages, expectedEndAt } = await lineUp((...line) => joinLine(paced, ...line), all, clock());
      expectedEndMs = expectedEndAt?.getTime() ?? 0;
      await between(500, 1500);
      await createMessages(stores.context, messages);
      messages.forEach(relayed);
      bulk.push(...messages.map(({ message_id }) => message_id));
    }
    await time.sleep((expectedEndMs - time.now()) / 2);
    expectedEndAtHalfMs = expectedEndOf(await readMessages(stores.context, bulk), clock())?.getTime() ?? 0;
  }

  async function sendPasswords(): Promise<void> {
    const otp = {
      otp_id: 'otp',
      code_length: 6,
      expires_at: '2026-11-20T23:00:00.000Z',
      attempts_remaining: 5,
    };
    for (let sent = 0; sent < passwords; sent += 1) {
      const message = make(`otp-${sent}`, { otp });
      await createMessage(stores.context, message);
      acceptedMs.set(message.message_id, time.now());
      relayed(message);
      await time.sleep(((total / perSecond) * 1000 * (0.5 + random())) / passwords);
    }
  }

  const beganMs = time.now();
  const sending = Promise.all([sendBulk(), sendPasswords()]);
  const atMostMs = 4 * (total / perSecond) * 1000 + 60_000;
  while (handedOverMs.size < total + passwords && time.now() - beganMs < atMostMs)
    await time.runUntil(time.now() + 2000);
  await sending;
  const timesMs = bulk.map((id) => handedOverMs.get(id) ?? Infinity);
  const endedMs = Math.max(...timesMs);
  return {
    handedOverMs: [...handedOverMs.values()],
    /** From the first hand-over of the bulk to the last. */
    bulkSeconds: (endedMs - Math.min(...timesMs)) / 1000,
    // From the first request on.
    endedSeconds: (endedMs - beganMs) / 1000,
    expectedSeconds: (expectedEndMs - beganMs) / 1000,
    expectedSecondsAtHalf: (expectedEndAtHalfMs - beganMs) / 1000,
    /** From the response to the hand-over. */
    passwordWaitsMs: [...acceptedMs].map(([id, atMs]) => (handedOverMs.get(id) ?? Infinity) - atMs),
    receivesPerMessage:
      bulk.reduce((sum, id) => sum + (receivesOf.get(id) ?? 0), 0) / Math.max(1, bulk.length),
  };
}

/** Returns the most hand-overs in any ten seconds. */
export function mostInTenSeconds(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, atMs, index) => {
    while ((sorted[first] ?? 0) <= atMs - 10_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}
