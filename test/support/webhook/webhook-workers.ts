/** The webhook functions on in-memory dependencies, with a record of every POST. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import type { DueItemIndex } from '../../../shared/due-items/due-item-index.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { ack, type HandlerResult } from '../../../shared/platform/process-queue-batch.ts';
import type { SetAside } from '../../../shared/set-aside/set-aside.ts';
import { type DeliverDependencies, deliver } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import type { Delivery, Lane } from '../../../shared/webhook/delivery.ts';
import { leaseSeconds } from '../../../shared/webhook/delivery-transitions.ts';
import { endpointHealth } from '../../../shared/webhook/endpoint-health/endpoint-health.ts';
import type { RelayWebhooksDependencies } from '../../../shared/webhook/plan/plan-deliveries.ts';
import { sqsDeliveryQueue } from '../../../shared/webhook/schedule/delivery-queue.sqs.ts';
import {
  type DeliveryMessage,
  type DeliveryQueue,
  deliveryMessageSchema,
  makeRetryScheduler,
} from '../../../shared/webhook/schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../../../shared/webhook/store/delivery-store.ts';
import { sweep } from '../../../shared/webhook/sweep/sweep-deliveries.ts';
import { memoryDeliveryStore } from '../doubles/memory-delivery-store.ts';
import { dueItemThrough, memoryDueItemIndex } from '../doubles/memory-due-item-index.ts';
import { memoryEndpointHealthStore } from '../doubles/memory-endpoint-health-store.ts';
import { type Simulation, virtualQueue } from '../doubles/virtual-queue.ts';
import type { Process } from '../faults/faulty-process.ts';
import type { Seen } from '../message/message-simulation.ts';

export interface WebhookWorkers {
  /** The ids of all rows, in the order of their creation. */
  readonly deliveryIds: ReadonlySet<string>;
  /** By delivery and attempt. */
  readonly posts: ReadonlyMap<string, readonly Seen[]>;
  readonly activities: ReadonlyMap<string, Activity>;
  get(deliveryId: string): Promise<Delivery | undefined>;
  /** The due-item index, which messages share. */
  dueItemOf(process: Process): DueItemIndex;
  relayPorts(process: Process): RelayWebhooksDependencies;
  sweep(): void;
}

interface WebhookWorkerOptions {
  /** From which the sweep rebuilds a delivery without a row. */
  readonly messages: Pick<MessageStore, 'get'>;
  readonly accountUrlOf: (clientId: string) => string | undefined;
  /** How many POSTs of a delivery are refused before one is acknowledged. */
  readonly refusalsOf: (deliveryId: string, clientId: string) => number;
  readonly scheduleLeadSeconds: number;
  readonly newId: (kind: string) => string;
  readonly sqsOf: (
    process: Process,
    put: (queueUrl: string, body: string, delaySeconds: number) => void,
  ) => SQSClient;
  readonly setAsideOf: (process: Process) => SetAside;
}

interface Held {
  readonly delivery: Delivery;
  readonly process: Process;
  readonly claimedAtMs: number;
  overtaken: boolean;
  seen?: Seen;
}

const timeouts = { deliver: 25, sweep: 50 };
const secrets = [{ secret: 'whsec_c2VjcmV0', created_at: '2026-11-20T00:00:00.000Z' }];

export function webhookWorkers(simulation: Simulation, options: WebhookWorkerOptions): WebhookWorkers {
  const { time, random, processes } = simulation;
  const store = memoryDeliveryStore();
  const dueItemIndex = memoryDueItemIndex();
  const webhookEndpoints = memoryEndpointHealthStore();
  const deliveryIds = new Set<string>();
  const posts = new Map<string, Seen[]>();
  const postsOfDelivery = new Map<string, number>();
  const activities = new Map<string, Activity>();
  const schedules = new Set<string>();
  const held = new WeakMap<Process, Held>();
  const holders = new Map<string, Held>();
  const queueOfLane = (lane: Lane) =>
    virtualQueue<DeliveryMessage>(simulation, {
      consumerTimeoutSeconds: timeouts.deliver,
      maxReceives: 5,
      consume: (process, message) => work(process, lane, message),
    });
  const queues = { fast: queueOfLane('fast'), slow: queueOfLane('slow') };
  const newRevision = () => options.newId('revision');

  function deliveriesOf(process: Process): DeliveryStore {
    return {
      ...processes.port<DeliveryStore>(process, store),
      create: (delivery) =>
        processes.call(process, async () => {
          const row = await store.create(delivery);
          deliveryIds.add(delivery.delivery_id);
          if (row.revision === delivery.revision) noteWrite(process, delivery);
          return row;
        }),
      replace: (seen, next) =>
        processes.call(process, async () => {
          const won = await store.replace(seen, next);
          if (won) noteWrite(process, next);
          return won;
        }),
    };
  }

  /** A process that writes during another one's lease has a wrong clock, or the holder has. */
  function noteWrite(process: Process, next: Delivery): void {
    const holder = holders.get(next.delivery_id);
    const alive = holder !== undefined && time.now() < holder.claimedAtMs + leaseSeconds * 1000;
    if (alive && holder.process !== process) {
      holder.overtaken = true;
      if (holder.seen !== undefined) holder.seen.overtaken = true;
    }
    if (next.state !== 'attempting') return;
    const hold = { delivery: next, process, claimedAtMs: time.now(), overtaken: false };
    held.set(process, hold);
    holders.set(next.delivery_id, hold);
  }

  const queueOf = (process: Process): DeliveryQueue =>
    sqsDeliveryQueue(
      options.sqsOf(process, (lane, body, delaySeconds) => {
        queues[lane === 'slow' ? 'slow' : 'fast'].put(
          deliveryMessageSchema.parse(JSON.parse(body)),
          delaySeconds,
        );
      }),
      { fast: 'fast', slow: 'slow' },
    );
  const dueItemOf = (process: Process) =>
    dueItemThrough(dueItemIndex, (_name, act) => processes.call(process, act));
  const healthOf = (process: Process) => endpointHealth(processes.port(process, webhookEndpoints));

  const relayPortsOf = (process: Process): RelayWebhooksDependencies => ({
    dueItemIndex: dueItemOf(process),
    queue: queueOf(process),
    health: healthOf(process),
    warn: () => {},
    clock: process.clock,
    newRevision,
    retentionDays: 30,
  });

  function dependenciesOf(process: Process): DeliverDependencies {
    const queue = queueOf(process);
    return {
      deliveries: deliveriesOf(process),
      activityLog: {
        add: (entry) => processes.call(process, async () => void activities.set(entry.entry_id, entry)),
      },
      secrets: { find: () => processes.call(process, async () => secrets) },
      health: healthOf(process),
      post: () => post(process),
      queue,
      retryScheduler: makeRetryScheduler(
        queue,
        {
          schedule: (name, at, lane, message) =>
            processes.call(process, async () => {
              if (schedules.has(name)) return;
              schedules.add(name);
              time.at(at.getTime() + random() * 1000 * options.scheduleLeadSeconds, () => {
                schedules.delete(name);
                queues[lane].put(message);
              });
            }),
        },
        options.scheduleLeadSeconds,
      ),
      clock: process.clock,
      sleep: (ms) => time.sleep(ms),
      newRevision,
      reportFailedDelivery: () => {},
      warn: () => {},
    };
  }

  async function work(process: Process, lane: Lane, message: DeliveryMessage): Promise<HandlerResult> {
    await deliver(dependenciesOf(process), { lane, timeScale: 1, userAgent: 'test' }, message);
    return ack;
  }

  /** A POST never throws: failures are results. Only the gateway repeats it. */
  function post(process: Process): ReturnType<DeliverDependencies['post']> {
    const mine = held.get(process);
    if (mine === undefined) throw new Error('a POST without a claim');
    const { delivery_id, client_id, attempt_number } = mine.delivery;
    return processes.call(process, async () => {
      const key = `${delivery_id}#${attempt_number}`;
      const seen: Seen = {
        process,
        claimedAtMs: mine.claimedAtMs,
        leaseMs: leaseSeconds * 1000,
        unknown: false,
        overtaken: mine.overtaken,
      };
      mine.seen = seen;
      posts.set(key, [...(posts.get(key) ?? []), seen]);
      const number = (postsOfDelivery.get(delivery_id) ?? 0) + 1;
      postsOfDelivery.set(delivery_id, number);
      const taken = number > options.refusalsOf(delivery_id, client_id);
      const hangs = !taken && random() < 0.3;
      const totalMs = hangs ? 5000 : 20 + random() * 400;
      await time.sleep(totalMs);
      const common = { timings: { totalMs }, reusedConnection: false, headers: {}, bodyStart: '' };
      if (hangs) return { ...common, status: undefined, error: 'timeout' as const };
      return { ...common, status: taken ? 200 : 500, error: taken ? undefined : ('not_200' as const) };
    }, ['double', 'fail_before', 'fail_after', 'throttle']);
  }

  return {
    deliveryIds,
    posts,
    activities,
    get: (deliveryId) => store.get(deliveryId),
    dueItemOf,
    relayPorts: relayPortsOf,
    sweep() {
      const process = processes.start(timeouts.sweep);
      const dependencies = {
        ...relayPortsOf(process),
        deliveries: processes.port(process, store),
        messages: { get: (id: string) => processes.call(process, () => options.messages.get(id)) },
        accountUrlOf: (clientId: string) =>
          processes.call(process, async () => options.accountUrlOf(clientId)),
        setAside: options.setAsideOf(process),
        budgetMs: 40_000,
      };
      sweep(dependencies).catch(() => {});
    },
  };
}
