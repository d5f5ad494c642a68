/** Simulates the delivery of webhooks with faults: the real use cases and store, on a virtual clock, queues, scheduler and endpoint. */
import type { Activity } from '../../../shared/activity/activity-log.ts';
import type { DueItemIndex } from '../../../shared/due-items/due-item-index.ts';
import type { Message } from '../../../shared/message/message.ts';
import {
  type DeliverDependencies,
  deliver,
  type Outcome,
} from '../../../shared/webhook/deliver/deliver-webhook.ts';
import type { Delivery, Lane } from '../../../shared/webhook/delivery.ts';
import {
  type EndpointHealthStore,
  endpointHealth,
} from '../../../shared/webhook/endpoint-health/endpoint-health.ts';
import {
  type RelayWebhooksDependencies,
  relayDeliveries,
} from '../../../shared/webhook/plan/plan-deliveries.ts';
import {
  type DeliveryMessage,
  makeRetryScheduler,
} from '../../../shared/webhook/schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../../../shared/webhook/store/delivery-store.ts';
import { sweep } from '../../../shared/webhook/sweep/sweep-deliveries.ts';
import { dueItemThrough, memoryDueItemIndex } from '../doubles/memory-due-item-index.ts';
import { memoryEndpointHealthStore } from '../doubles/memory-endpoint-health-store.ts';
import { neverSetAside } from '../doubles/never-set-aside.ts';
import { virtualTime } from '../doubles/virtual-time.ts';
import { type Fault, faultyCalls, type Worker } from '../faults/faulty-calls.ts';
import { type Answer, notedPosts, type Post } from './recorded-posts.ts';
import { type QueueFaults, type ScheduledMessage, virtualLanes } from './virtual-lanes.ts';

interface SimulationOptions extends QueueFaults {
  readonly store: DeliveryStore;
  readonly dueItemIndex?: DueItemIndex;
  readonly startAt: Date;
  readonly timeScale?: number;
  readonly scheduleLeadSeconds?: number;
  /** The fault of the n-th call, counted over the whole run. */
  readonly fault?: (name: string, index: number) => Fault | undefined;
  readonly answer: (deliveryId: string, postNumber: number) => Answer;
  readonly latencyMs?: () => number;
  /** Called when a worker reads the secrets of a client. */
  readonly onSecretsRead?: (at: Date) => void;
}

export interface Simulation {
  readonly posts: readonly Post[];
  /** Attempts whose worker died during the POST or before it recorded the outcome. */
  readonly diedInPost: ReadonlySet<string>;
  readonly activities: ReadonlyMap<string, Activity>;
  readonly failuresReported: readonly string[];
  readonly scheduled: readonly ScheduledMessage[];
  readonly outcomes: readonly Outcome[];
  readonly calls: readonly string[];
  relay(before: Message | undefined, after: Message, accountUrl?: string): void;
  put(lane: Lane, message: DeliveryMessage): void;
  /** Advances time, with a sweep every minute, until nothing is left to do or the time is over. */
  run(seconds: number): Promise<void>;
  now(): Date;
}

export function createSimulation(options: SimulationOptions): Simulation {
  const { store, dueItemIndex = memoryDueItemIndex() } = options;
  const time = virtualTime(options.startAt.getTime());
  const calls = faultyCalls({ time, fault: options.fault, latencyMs: options.latencyMs });
  const { call } = calls;
  const lanes = virtualLanes(time, calls, options, work);
  const { posts, postOf } = notedPosts(time, calls, options.answer);
  const webhookEndpoints = memoryEndpointHealthStore();
  const activities = new Map<string, Activity>();
  const failuresReported: string[] = [];
  const outcomes: Outcome[] = [];
  let revisions = 0;
  const clock = () => new Date(time.now());
  const newRevision = () => `r${++revisions}`;

  async function work(lane: Lane, message: DeliveryMessage): Promise<void> {
    const settings = { lane, timeScale: options.timeScale ?? 1, userAgent: 'test' };
    outcomes.push(await deliver(dependenciesOf({ lane, dead: false }), settings, message));
  }

  function storeOf(worker: Worker): DeliveryStore {
    return {
      create: (delivery) =>
        call(worker, 'create', async () => {
          const row = await store.create(delivery);
          if (row.revision === delivery.revision) noteClaim(worker, row);
          return row;
        }),
      get: (deliveryId) => call(worker, 'get', () => store.get(deliveryId)),
      getMany: (...asked) => call(worker, 'getMany', () => store.getMany(...asked)),
      replace: (seen, next) =>
        call(worker, next.state === 'attempting' ? 'claim' : 'replace', async () => {
          const won = await store.replace(seen, next);
          if (won && next.state === 'attempting') noteClaim(worker, next);
          else if (won) delete worker.posting;
          return won;
        }),
    };
  }
  function noteClaim(worker: Worker, held: Delivery): void {
    worker.claimed = { deliveryId: held.delivery_id, attempt: held.attempt_number };
  }

  function webhookEndpointsOf(worker: Worker): EndpointHealthStore {
    return {
      read: (webhookEndpoint) => call(worker, 'health', () => webhookEndpoints.read(webhookEndpoint)),
      setSlow: (...slowRecorded) => call(worker, 'health', () => webhookEndpoints.setSlow(...slowRecorded)),
      setLikelySlow: (...likelySlow) =>
        call(worker, 'health', () => webhookEndpoints.setLikelySlow(...likelySlow)),
      setHealthy: (...quick) => call(worker, 'health', () => webhookEndpoints.setHealthy(...quick)),
      takeSlot: (...taken) => call(worker, 'health', () => webhookEndpoints.takeSlot(...taken)),
      freeSlot: (...freed) => call(worker, 'health', () => webhookEndpoints.freeSlot(...freed)),
    };
  }

  function dependenciesOf(worker: Worker): DeliverDependencies {
    const queue = lanes.queueOf(worker);
    return {
      deliveries: storeOf(worker),
      activityLog: {
        add: (entry) => call(worker, 'activity', async () => void activities.set(entry.entry_id, entry)),
      },
      secrets: {
        find: () =>
          call(worker, 'secrets', async () => {
            options.onSecretsRead?.(clock());
            return [{ secret: 'whsec_c2VjcmV0', created_at: options.startAt.toISOString() }];
          }),
      },
      health: endpointHealth(webhookEndpointsOf(worker)),
      post: postOf(worker),
      queue,
      retryScheduler: makeRetryScheduler(queue, lanes.schedulerOf(worker), options.scheduleLeadSeconds ?? 60),
      clock,
      sleep: time.sleep,
      newRevision,
      reportFailedDelivery: (delivery) => void failuresReported.push(delivery.delivery_id),
      warn: () => {},
    };
  }

  const relayPortsOf = (worker: Worker): RelayWebhooksDependencies => ({
    dueItemIndex: dueItemThrough(dueItemIndex, (name, act) => call(worker, name, act)),
    queue: lanes.queueOf(worker),
    health: endpointHealth(webhookEndpointsOf(worker)),
    warn: () => {},
    clock,
    newRevision,
    retentionDays: 30,
  });
  /** The latest relayed version of each message. */
  const relayed = new Map<string, Message>();
  const accountUrls = new Map<string, string | undefined>();

  function sweepEveryMinute(): void {
    const worker: Worker = { lane: 'fast', dead: false };
    time.at(time.now() + 60_000, () => {
      const dependencies = {
        ...relayPortsOf(worker),
        deliveries: storeOf(worker),
        messages: { get: (id: string) => call(worker, 'get message', async () => relayed.get(id)) },
        accountUrlOf: async (clientId: string) => accountUrls.get(clientId),
        setAside: neverSetAside,
        budgetMs: 40_000,
      };
      sweep(dependencies).catch(() => {});
      sweepEveryMinute();
    });
  }
  sweepEveryMinute();

  return {
    posts,
    diedInPost: calls.diedInPost,
    activities,
    failuresReported,
    scheduled: lanes.scheduled,
    outcomes,
    calls: calls.names,
    put: lanes.put,
    now: clock,
    relay(before, after, accountUrl) {
      relayed.set(after.message_id, after);
      accountUrls.set(after.client_id, accountUrl);
      // The stream repeats a change until the relay succeeds.
      const tryAgain = () => {
        let through = false;
        const worker: Worker = { lane: 'fast', dead: false };
        relayDeliveries(relayPortsOf(worker), [{ before, after, accountUrl }]).then(
          () => {
            through = true;
          },
          () => {},
        );
        time.at(time.now() + 10_000, () => {
          if (!through) tryAgain();
        });
      };
      time.at(time.now(), tryAgain);
    },
    run: (seconds) => time.runUntil(time.now() + seconds * 1000, calls.isBusy),
  };
}
