/**
 * A message from its request to its last webhook, with the gateway's own use cases on stores in memory. Each call that
 * reached the carrier or an endpoint is recorded where no fault can remove it.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { parseReceipts } from '../../../shared/carrier/parse-receipts.ts';
import { simulator } from '../../../shared/carrier/simulator/simulator.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch, leaseSeconds } from '../../../shared/message/dispatch/dispatch-message.ts';
import { sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { OutboundQueue } from '../../../shared/message/dispatch/outbound-queue.ts';
import { expireOverdue } from '../../../shared/message/expire/expire-messages.ts';
import { type RecoveryProgress, recoverMessages } from '../../../shared/message/expire/recover-messages.ts';
import { takeReceipts } from '../../../shared/message/receipts/take-receipts.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { handOverBodies } from '../../../shared/otp/hand-over-body.ts';
import type { OtpSecrets } from '../../../shared/otp/otp-secret.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { HandlerResult } from '../../../shared/platform/process-queue-batch.ts';
import { shardOf } from '../../../shared/platform/shard.ts';
import { relay } from '../../../shared/relay/relay.ts';
import { readChanges, type StreamRecord } from '../../../shared/relay/stream.dynamo.ts';
import type { RefusedWork, SetAside } from '../../../shared/set-aside/set-aside.ts';
import { memoryMessageList } from '../doubles/memory-message-list.ts';
import { type MemoryMessageStore, memoryMessageStore } from '../doubles/memory-message-store.ts';
import { type Simulation, type VirtualQueue, virtualQueue, virtualStream } from '../doubles/virtual-queue.ts';
import { strictSqs } from '../engine/strict-sqs.ts';
import type { Process } from '../faults/faulty-process.ts';
import { type WebhookWorkers, webhookWorkers } from '../webhook/webhook-workers.ts';
import { streamRecords } from './stream-records.ts';

/** One call that something outside saw, and what is needed to tell whether a second one is excused. */
export interface Seen {
  readonly process: Process;
  /** The true time of the claim under which it was made, and how long that claim holds. */
  readonly claimedAtMs: number;
  readonly leaseMs: number;
  /** Whether the answer never reached the process. */
  unknown: boolean;
  /** Whether another wrote to the row while the claim held, taking it for over. */
  overtaken: boolean;
  /** What the carrier was given to send. */
  readonly body?: string;
}

export interface MessageSimulation {
  readonly messages: MemoryMessageStore;
  readonly handOvers: ReadonlyMap<string, readonly Seen[]>;
  readonly webhooks: WebhookWorkers;
  readonly queues: Readonly<Record<'outbound' | 'receipts', VirtualQueue<string>>>;
  /** Records of the stream that are no message, by their ids: those that came, and those that were set aside. */
  readonly unreadable: { readonly came: ReadonlySet<string>; readonly setAside: ReadonlySet<string> };
  /** What services refused for good, by its message. */
  readonly refused: ReadonlyMap<string, RefusedWork>;
  /** New messages whose change never came to the relay. */
  readonly unrelayed: ReadonlySet<string>;
  /** The messages table as a process has it. */
  messagesOf(process: Process): MessageStore;
}

interface MessageSimulationOptions {
  readonly accountUrlOf: (clientId: string) => string | undefined;
  readonly refusalsOf: (deliveryId: string, clientId: string) => number;
  readonly clientIds: readonly string[];
  /** Whether a queue refuses a message for good that has this body. */
  readonly refuses?: (body: string) => boolean;
  /** The share of new messages whose change the stream loses. */
  readonly unrelayedShare?: number;
  /** What the functions get for the store: to see that a broken one is noticed. */
  readonly broken?: (store: MessageStore) => MessageStore;
}

/** Under which codes are derived. */
export const otpSecret = 'the secret of one-time passwords';
const streamShards = 8;
const scheduleLeadSeconds = 60;
const timeouts = { relay: 30, dispatch: 15, record: 10, expire: 55 };

export function messageSimulation(
  simulation: Simulation,
  options: MessageSimulationOptions,
): MessageSimulation {
  const { time, random, processes } = simulation;
  const handOvers = new Map<string, Seen[]>();
  const claims = new WeakMap<Process, number>();
  const schedules = new Set<string>();
  let ids = 0;
  const newId = (kind: string): string => `${kind}-${++ids}`;
  const streams = Array.from({ length: streamShards }, () =>
    virtualStream<StreamRecord>(simulation, timeouts.relay, relayRecords),
  );
  const recordsOf = streamRecords(random);
  const setAside = new Set<string>();
  const refused = new Map<string, RefusedWork>();
  const unrelayed = new Set<string>();
  let progress: RecoveryProgress | undefined;
  const messages = memoryMessageStore((before, after) => {
    if (before === undefined && random() < (options.unrelayedShare ?? 0)) {
      unrelayed.add(after.message_id);
      return;
    }
    for (const record of recordsOf.change(before, after))
      streams[shardOf(after.message_id, streamShards)]?.put(record);
  });
  const used = options.broken?.(messages) ?? messages;
  const webhooks = webhookWorkers(simulation, {
    messages: used,
    accountUrlOf: options.accountUrlOf,
    refusalsOf: options.refusalsOf,
    scheduleLeadSeconds,
    newId,
    sqsOf,
    setAsideOf,
  });
  const outbound = virtualQueue<string>(simulation, {
    consumerTimeoutSeconds: timeouts.dispatch,
    maxReceives: 100,
    consume: handOver,
  });
  const receipts = virtualQueue<string>(simulation, {
    consumerTimeoutSeconds: timeouts.record,
    maxReceives: 15,
    consume: record,
  });

  function messagesOf(process: Process): MessageStore {
    return {
      ...processes.port<MessageStore>(process, used),
      claim: (messageId, wanted) =>
        processes.call(process, async () => {
          const claimed = await used.claim(messageId, wanted);
          if (claimed.outcome === 'claimed') claims.set(process, time.now());
          return claimed;
        }),
    };
  }

  /** Entries that are refused are refused alone or with their whole call. */
  function sqsOf(process: Process, put: (queueUrl: string, body: string, delaySeconds: number) => void) {
    const sqs = strictSqs({
      deliver: (queueUrl, { MessageBody = '', DelaySeconds = 0 }) => put(queueUrl, MessageBody, DelaySeconds),
      refuses: options.refuses,
      refusesCall: () => random() < 0.5,
    });
    const send = (command: Parameters<SQSClient['send']>[0]) =>
      processes.call(process, () => sqs.send(command));
    return { send } as unknown as SQSClient;
  }

  function setAsideOf(process: Process): SetAside {
    return (work) => processes.call(process, async () => void refused.set(work.messageId, work));
  }

  const outboundOf = (process: Process): OutboundQueue =>
    sqsOutboundQueue(
      sqsOf(process, (_queueUrl, body, delaySeconds) => {
        const { message_id } = JSON.parse(body) as { message_id: string };
        outbound.put(message_id, delaySeconds);
      }),
      'outbound',
    );

  async function relayRecords(process: Process, records: readonly StreamRecord[]) {
    const { changes, unreadable } = readChanges(records);
    for (const { eventID = '' } of unreadable)
      await processes.call(process, async () => void setAside.add(eventID));
    return relay(
      {
        outbound: outboundOf(process),
        outboundScheduler: {
          schedule: (messageId, at) =>
            processes.call(process, async () => {
              if (schedules.has(messageId)) return;
              schedules.add(messageId);
              time.at(at.getTime() + random() * 1000 * scheduleLeadSeconds, () => outbound.put(messageId));
            }),
        },
        scheduleLeadSeconds,
        webhooks: webhooks.relayPorts(process),
        accountUrlOf: (clientId) => processes.call(process, async () => options.accountUrlOf(clientId)),
        setAside: setAsideOf(process),
        clock: process.clock,
      },
      changes,
    );
  }

  /** The carrier takes what reached it; only what it says of it can be lost on the way. */
  function carrierOf(process: Process): Carrier {
    const carrier = simulator({
      outbox: {
        record: async ({ message_id, body }) => {
          const seen: Seen = {
            process,
            claimedAtMs: claims.get(process) ?? time.now(),
            leaseMs: leaseSeconds * 1000,
            unknown: true,
            overtaken: false,
            body,
          };
          handOvers.set(message_id, [...(handOvers.get(message_id) ?? []), seen]);
        },
      },
      sendReceipts: async (reports) => {
        for (const { body, delaySeconds } of reports)
          receipts.put(body, delaySeconds + Math.floor(random() * 4));
      },
      prices: { currency: 'USD', sms: { default: 0.01 }, whatsapp: { default: 0.005 } },
      clock: () => new Date(time.now()),
      newCarrierMessageId: () => newId('carrier'),
    });
    return {
      async handOver(message, body, attempt) {
        const answer = await processes.call(process, () => carrier.handOver(message, body, attempt), [
          'double',
          'retry',
        ]);
        const own = handOvers.get(message.message_id)?.findLast((seen) => seen.process === process);
        if (own !== undefined) own.unknown = false;
        return answer;
      },
    };
  }

  const secretsOf = (process: Process): OtpSecrets => {
    const all = () => processes.call(process, async () => [otpSecret]);
    return { all, latest: all, current: async () => (await all())[0] ?? '' };
  };

  async function handOver(process: Process, messageId: string): Promise<HandlerResult> {
    const { retryAfterSeconds } = await dispatch(
      {
        messages: messagesOf(process),
        carrierFor: () => carrierOf(process),
        bodyOf: handOverBodies(secretsOf(process)),
        isDisabled: async () => false,
        outbound: outboundOf(process),
        clock: process.clock,
        newClaimId: () => newId('claim'),
        sleep: time.sleep,
      },
      messageId,
    );
    return { retryAfterSeconds };
  }

  async function record(process: Process, body: string, receives: number): Promise<HandlerResult> {
    const { retryAfterSeconds } = await takeReceipts(messagesOf(process), parseReceipts(body), receives);
    return { retryAfterSeconds };
  }

  async function recover(process: Process): Promise<void> {
    await recoverMessages({
      progress: {
        read: () => processes.call(process, async () => progress),
        write: (next) =>
          processes.call(process, async () => {
            progress = next;
          }),
      },
      clientIds: () =>
        processes.call(process, async () => ({ clientIds: options.clientIds, next: undefined })),
      list: memoryMessageList(messages),
      messages: messagesOf(process),
      dueItemIndex: webhooks.dueItemOf(process),
      clock: process.clock,
      endsAt: addSeconds(process.clock(), 40),
    });
  }

  function everyMinute(): void {
    time.at(addSeconds(new Date(time.now()), 60).getTime(), () => {
      const process = processes.start(timeouts.expire);
      const { clock } = process;
      const dueItemIndex = webhooks.dueItemOf(process);
      const dependencies = {
        dueItemIndex,
        messages: messagesOf(process),
        outbound: outboundOf(process),
        clock,
      };
      const setAside = setAsideOf(process);
      expireOverdue({ ...dependencies, setAside, budgetMs: 40_000 })
        .then(() => recover(process))
        .catch(() => {});
      webhooks.sweep();
      everyMinute();
    });
  }
  everyMinute();

  return {
    messages,
    handOvers,
    webhooks,
    queues: { outbound, receipts },
    unreadable: { came: recordsOf.unreadable, setAside },
    refused,
    unrelayed,
    messagesOf,
  };
}
