/**
 * The gateway in the simulated world, from a stored message to its last webhook: its own functions and adapters on tables
 * in memory, and calls to the outside as `outside-calls.ts` records them.
 */

import type { Activity } from '../../../shared/activity/activity-log.ts';
import { sendKinds } from '../../../shared/contract/channels.ts';
import {
  receivesMax,
  visibilitySeconds,
  workerTimeoutSeconds,
} from '../../../shared/contract/webhook-worker-times.ts';
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';
import { earlierLegIds } from '../../../shared/message/dispatch/fallback.ts';
import type { Message, Status } from '../../../shared/message/message.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { SuppressionStore } from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { ack } from '../../../shared/platform/process-queue-batch.ts';
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';
import type { ScanProgress } from '../../../shared/relay/add-missed-messages.ts';
import type { Outcome } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import type { Lane } from '../../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { numbersOwned } from '../doubles/no-senders.ts';
import { streamRecords } from '../message/stream-records.ts';
import { type GatewayFunctions, gatewayFunctions } from './gateway-functions.ts';
import { dueItemThrough, gatewayTables } from './gateway-tables.ts';
import { type Answer, outsideCalls } from './outside-calls.ts';
import type { Process } from './processes.ts';
import { simulatedWorld, type Workers, type WorldOptions } from './world.ts';

/** When a person began or ended to be suppressed for a client. */
interface StoredChange {
  readonly client_id: string;
  readonly recipient: string;
  readonly isSuppressed: boolean;
  readonly atMs: number;
}

interface GatewayOptions extends WorldOptions {
  /** What the functions get for the deliveries. */
  readonly deliveriesThrough?: (store: DeliveryStore) => DeliveryStore;
  readonly answer: (deliveryId: string, postNumber: number, clientId: string) => Answer;
  readonly accountUrlOf?: (clientId: string) => string | undefined;
  /** Whose messages are expired and recovered each minute; by default nobody's. */
  readonly clientIds?: readonly string[];
  readonly timeScale?: number;
  /** The number to which the simulated carrier does what it does to this message; by default its recipient. */
  readonly behavesAs?: (message: Message) => string;
  /** The caps of clients, of which legs take; by default none. */
  readonly allowanceOf?: AllowanceOf | undefined;
  /** What the functions get for the messages table. */
  readonly messagesThrough?: ((store: MessageStore) => MessageStore) | undefined;
  /** The workers of each lane; by default as many as there are messages. */
  readonly workers?: Readonly<Record<Lane, Workers>>;
  /** How late indexes and eventually consistent reads are; by default they are not. */
  readonly lagMs?: () => number;
  /** Called when a worker reads the secrets of a client. */
  readonly onSecretsRead?: (at: Date) => void;
}

/** A leg that was stored: the one before it, and what the earlier ones were, at that moment. */
interface LegStart {
  readonly leg: Message;
  readonly previous: Message | undefined;
  readonly earlier: readonly (Status | undefined)[];
  readonly atMs: number;
}

export type Gateway = ReturnType<typeof simulatedGateway>;

export const otpSecret = 'the secret of one-time passwords';
const webhookSecret = 'whsec_c2VjcmV0';
const scheduleLeadSeconds = 60;
const webhookQueue = { timeoutSeconds: workerTimeoutSeconds, maxReceives: receivesMax, visibilitySeconds };

export function simulatedGateway(options: GatewayOptions) {
  const world = simulatedWorld(options);
  const { time, random, processes } = world;
  const { call, port } = processes;
  const recordsOf = streamRecords(world.now);
  const relayed = world.stream<StreamRecord>();
  const stores = gatewayTables(world.now, noteChange, {
    now: time.now,
    later: (ms, run) => time.at(time.now() + ms, run),
    lagMs: options.lagMs ?? (() => 0),
  });
  const { messages, dueItemIndex, endpoints, resends, suppressions, otps } = stores;
  const table = options.messagesThrough?.(messages) ?? messages;
  const deliveries = options.deliveriesThrough?.(stores.deliveries) ?? stores.deliveries;
  const latest = new Map<string, Message>();
  const legStarts: LegStart[] = [];
  const deliveredAtMs = new Map<string, number>();
  const suppressionChanges: StoredChange[] = [];
  const activities = new Map<string, Activity>();
  const failuresReported: string[] = [];
  const outcomes: Outcome[] = [];
  const refused = new Map<string, RefusedWork>();
  let progress: ScanProgress | undefined;
  let ids = 0;
  const newId = (kind: string): string => `${kind}-${++ids}`;
  const { behavesAs, answer } = options;
  const outside = outsideCalls(world, { messages: table, deliveries, answer, behavesAs, newId });

  function noteLegs(before: Message | undefined, after: Message): void {
    const { message_id: id, delivered_at } = after;
    latest.set(id, after);
    if (delivered_at !== undefined && !deliveredAtMs.has(id)) deliveredAtMs.set(id, time.now());
    if (after.fallback_of === undefined || before !== undefined) return;
    const earlier = earlierLegIds(after).map((earlierId) => latest.get(earlierId));
    legStarts.push({
      leg: after,
      previous: earlier.at(-1),
      earlier: earlier.map((each) => each?.status),
      atMs: time.now(),
    });
  }

  function noteChange(before: Message | undefined, after: Message): void {
    noteLegs(before, after);
    for (const record of recordsOf.change(before, after)) relayed.put(after.message_id, record);
  }

  const notedSuppressions: SuppressionStore = {
    ...suppressions,
    async change(change) {
      const changed = await suppressions.change(change);
      const { client_id, recipient, scope } = change;
      if (changed.outcome !== 'outdated') {
        suppressionChanges.push({
          client_id,
          recipient,
          isSuppressed: scope !== undefined,
          atMs: time.now(),
        });
      }
      return changed;
    },
  };

  function functionsOf(process: Process, lane: Lane = 'fast'): GatewayFunctions {
    const read = <T>(name: string, value: () => T) => call(process, name, async () => value());
    const otpSecrets = () => read('OTP secrets', () => [otpSecret]);
    return gatewayFunctions({
      messages: outside.messagesOf(process),
      deliveries: outside.deliveriesOf(process),
      dueItemIndex: dueItemThrough(dueItemIndex, (name, act) => call(process, name, act)),
      endpointHealth: port(process, 'health', stores.endpointHealth),
      activityLog: {
        async add(entry) {
          await call(process, 'activity', () => stores.activityLog.add(entry));
          activities.set(entry.entry_id, entry);
        },
      },
      activity: port(process, 'activity', stores.activity),
      resends: port(process, 'resends', resends),
      list: stores.list,
      webhookSecrets: {
        find: () =>
          read('secrets', () => {
            options.onSecretsRead?.(world.now());
            return [{ secret: webhookSecret, created_at: options.startAt.toISOString() }];
          }),
      },
      otpSecrets: { all: otpSecrets, latest: otpSecrets, current: async () => (await otpSecrets())[0] ?? '' },
      endpoints: port(process, 'endpoints', endpoints),
      suppressions: port(process, 'suppressions', notedSuppressions),
      windows: port(process, 'windows', stores.windows),
      allowanceOf: options.allowanceOf ?? (async () => undefined),
      otps: port(process, 'otps', otps),
      contacts: port(process, 'contacts', stores.contacts),
      conversations: port(process, 'conversations', stores.conversations),
      numbers: numbersOwned(),
      accountUrlOf: (clientId) => read('account URL', () => options.accountUrlOf?.(clientId)),
      senderPaces: port(process, 'sender pace', stores.senderPaces),
      sqs: world.sqs(process),
      queueUrls: { otp: 'otp', single: 'single', bulk: 'bulk', fast: 'fast', slow: 'slow' },
      schedule: (...asked) => world.schedule(process, ...asked),
      scheduleLeadSeconds,
      carrier: outside.carrierOf(process),
      post: outside.postOf(process, lane),
      timeScale: options.timeScale ?? 1,
      setAside: (work) => read('set aside', () => void refused.set(work.messageId ?? '', work)),
      reportFailedDelivery: ({ delivery_id }) => void failuresReported.push(delivery_id),
      clock: process.clock,
      sleep: time.sleep,
      random,
      newId,
    });
  }

  relayed.consume(30, (process, records) => functionsOf(process).relay(records));
  for (const kind of sendKinds)
    world.consume(kind, { timeoutSeconds: 15, maxReceives: 100 }, (process, body) =>
      functionsOf(process).dispatch(body),
    );
  world.consume('receipts', { timeoutSeconds: 10, maxReceives: 15 }, (process, body, receives) =>
    functionsOf(process).recordReceipts(body, receives),
  );
  for (const lane of ['fast', 'slow'] as const)
    world.consume(lane, { ...webhookQueue, workers: options.workers?.[lane] }, async (process, body) => {
      const outcome = await functionsOf(process, lane).deliver(lane, body);
      if (outcome === undefined) return ack;
      outcomes.push(outcome);
      return outcome.kind === 'held' ? outcome : ack;
    });
  // A run that finds nothing due does nothing; most of them, and most of the time of a simulated day, are left out.
  world.every(60, 50, async (process) => {
    const now = process.clock();
    if (stores.isDue('deliveries', now) || stores.isDue('fan-outs', now)) await functionsOf(process).sweep();
  });
  world.every(60, 50, async (process) => {
    if (stores.isDue('resends', process.clock())) await functionsOf(process).continueResends();
  });
  const { clientIds } = options;
  if (clientIds !== undefined)
    world.every(60, 55, async (process) => {
      const functions = functionsOf(process);
      const now = process.clock();
      await Promise.all([
        stores.isDue('scheduled', now) ? functions.enqueueScheduled() : undefined,
        stores.isDue('messages', now) ? functions.expire() : undefined,
      ]);
      await functions.addMissed({
        progress: port(process, 'recovery', {
          read: async () => progress,
          async write(next: ScanProgress) {
            progress = next;
          },
        }),
        clientIds: () => call(process, 'clients', async () => ({ clientIds, next: undefined })),
        list: stores.list,
      });
    });

  return {
    ...outside,
    world,
    now: world.now,
    run: world.run,
    /** Runs a function in a process of its own; settles only if the process lives. */
    invoke: world.invoke,
    messages,
    /** The functions as a process has them. */
    functionsOf,
    stores,
    resends,
    suppressions,
    /** When a message was first stored as delivered. */
    deliveredAtMs: deliveredAtMs as ReadonlyMap<string, number>,
    legStarts: legStarts as readonly LegStart[],
    /** As they were stored, in this order. */
    suppressionChanges: suppressionChanges as readonly StoredChange[],
    deliveries,
    /** Webhook endpoints of clients: the test changes them. */
    endpoints,
    dueItemIndex,
    activities: activities as ReadonlyMap<string, Activity>,
    failuresReported: failuresReported as readonly string[],
    outcomes: outcomes as readonly Outcome[],
    /** What services refused for good, by its message. */
    refused: refused as ReadonlyMap<string, RefusedWork>,
  };
}
