/**
 * A world in which webhooks are delivered and anything may go wrong: the real use cases and store, a virtual clock,
 * queues, scheduler and receiver as doubles.
 */
import type { Activity } from '../../shared/activity/activity-log.ts';
import type { Agenda } from '../../shared/agenda/agenda.ts';
import type { Message } from '../../shared/message/message.ts';
import { type DeliverPorts, deliver, type Outcome } from '../../shared/webhook/deliver.ts';
import type { Delivery, Lane } from '../../shared/webhook/delivery.ts';
import type { DeliveryReader } from '../../shared/webhook/delivery-reader.ts';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';
import { type RelayPorts, relayDeliveries } from '../../shared/webhook/plan-deliveries.ts';
import { type ReceiverStore, receiverHealth } from '../../shared/webhook/receiver-health.ts';
import { sweep } from '../../shared/webhook/sweep.ts';
import { type DeliveryMessage, wakeBy } from '../../shared/webhook/wake.ts';
import { type Fault, faultyCalls, type Worker } from './faulty-calls.ts';
import { agendaThrough, memoryAgenda } from './memory-agenda.ts';
import { memoryReceiverStore } from './memory-receiver-store.ts';
import { neverSetAside } from './never-set-aside.ts';
import { type Answer, notedPosts, type Post } from './noted-posts.ts';
import { virtualLanes, type WakeFaults, type WakeSeen } from './virtual-lanes.ts';
import { virtualTime } from './virtual-time.ts';

interface WorldOptions extends WakeFaults {
  readonly store: DeliveryStore & DeliveryReader;
  readonly agenda?: Agenda;
  readonly startAt: Date;
  readonly timeScale?: number;
  readonly scheduleLeadSeconds?: number;
  /** The fault of the n-th call, counted over the whole run. */
  readonly fault?: (name: string, index: number) => Fault | undefined;
  readonly answer: (deliveryId: string, postNumber: number) => Answer;
  readonly latencyMs?: () => number;
  /** Told when a worker reads the secrets of a client. */
  readonly onSecretsRead?: (at: Date) => void;
}

export interface World {
  readonly posts: readonly Post[];
  /** Attempts during whose POST, or before the record of its outcome, the worker died. */
  readonly diedInPost: ReadonlySet<string>;
  readonly activities: ReadonlyMap<string, Activity>;
  readonly alarms: readonly string[];
  readonly wakes: readonly WakeSeen[];
  readonly outcomes: readonly Outcome[];
  readonly calls: readonly string[];
  relay(before: Message | undefined, after: Message, accountUrl?: string): void;
  put(lane: Lane, message: DeliveryMessage): void;
  /** Lets time pass, with a sweep every minute, until nothing is left to happen or the time is over. */
  run(seconds: number): Promise<void>;
  now(): Date;
}

export function createWorld(options: WorldOptions): World {
  const { store, agenda = memoryAgenda() } = options;
  const time = virtualTime(options.startAt.getTime());
  const calls = faultyCalls({ time, fault: options.fault, latencyMs: options.latencyMs });
  const { call } = calls;
  const lanes = virtualLanes(time, calls, options, work);
  const { posts, postOf } = notedPosts(time, calls, options.answer);
  const receivers = memoryReceiverStore();
  const activities = new Map<string, Activity>();
  const alarms: string[] = [];
  const outcomes: Outcome[] = [];
  let revisions = 0;
  const clock = () => new Date(time.now());
  const newRevision = () => `r${++revisions}`;

  async function work(lane: Lane, message: DeliveryMessage): Promise<void> {
    const settings = { lane, timeScale: options.timeScale ?? 1, userAgent: 'test' };
    outcomes.push(await deliver(portsOf({ lane, dead: false }), settings, message));
  }

  function storeOf(worker: Worker): DeliveryStore & DeliveryReader {
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

  function receiversOf(worker: Worker): ReceiverStore {
    return {
      read: (receiver) => call(worker, 'health', () => receivers.read(receiver)),
      setSlow: (...hung) => call(worker, 'health', () => receivers.setSlow(...hung)),
      setHesitating: (...hesitating) => call(worker, 'health', () => receivers.setHesitating(...hesitating)),
      setQuick: (...quick) => call(worker, 'health', () => receivers.setQuick(...quick)),
      takeSlot: (...taken) => call(worker, 'health', () => receivers.takeSlot(...taken)),
      freeSlot: (...freed) => call(worker, 'health', () => receivers.freeSlot(...freed)),
    };
  }

  function portsOf(worker: Worker): DeliverPorts {
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
      health: receiverHealth(receiversOf(worker)),
      post: postOf(worker),
      queue,
      wake: wakeBy(queue, lanes.schedulerOf(worker), options.scheduleLeadSeconds ?? 60),
      clock,
      sleep: time.sleep,
      newRevision,
      raiseAlarm: (delivery) => void alarms.push(delivery.delivery_id),
      warn: () => {},
    };
  }

  const relayPortsOf = (worker: Worker): RelayPorts => ({
    agenda: agendaThrough(agenda, (name, act) => call(worker, name, act)),
    queue: lanes.queueOf(worker),
    health: receiverHealth(receiversOf(worker)),
    warn: () => {},
    clock,
    newRevision,
    retentionDays: 30,
  });
  /** The messages whose changes were relayed, as they then stood. */
  const relayed = new Map<string, Message>();
  const accountUrls = new Map<string, string | undefined>();

  function sweepEveryMinute(): void {
    const worker: Worker = { lane: 'fast', dead: false };
    time.at(time.now() + 60_000, () => {
      const ports = {
        ...relayPortsOf(worker),
        deliveries: storeOf(worker),
        messages: { get: (id: string) => call(worker, 'get message', async () => relayed.get(id)) },
        accountUrlOf: async (clientId: string) => accountUrls.get(clientId),
        setAside: neverSetAside,
        budgetMs: 40_000,
      };
      sweep(ports).catch(() => {});
      sweepEveryMinute();
    });
  }
  sweepEveryMinute();

  return {
    posts,
    diedInPost: calls.diedInPost,
    activities,
    alarms,
    wakes: lanes.wakes,
    outcomes,
    calls: calls.names,
    put: lanes.put,
    now: clock,
    relay(before, after, accountUrl) {
      relayed.set(after.message_id, after);
      accountUrls.set(after.client_id, accountUrl);
      // The stream hands a change to the relay until the relay got through with it.
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
