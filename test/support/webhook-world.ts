/**
 * A world in which webhooks are delivered and anything may go wrong: the real use cases and store, a virtual clock,
 * queues, scheduler and receiver as doubles. A call can fail before or after it took effect, or the worker die
 * there; a death is a promise that never settles, so no `catch` or `finally` of the code under test can soften it.
 */
import type { Activity } from '../../shared/activity/activity-log.ts';
import type { Agenda } from '../../shared/agenda/agenda.ts';
import type { Message } from '../../shared/message/message.ts';
import { type DeliverPorts, deliver, type Outcome } from '../../shared/webhook/deliver.ts';
import type { AttemptError, Delivery, Lane } from '../../shared/webhook/delivery.ts';
import type { DeliveryReader } from '../../shared/webhook/delivery-reader.ts';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';
import { type RelayPorts, relayDeliveries } from '../../shared/webhook/plan-deliveries.ts';
import { type ReceiverStore, receiverHealth } from '../../shared/webhook/receiver-health.ts';
import { sweep } from '../../shared/webhook/sweep.ts';
import {
  type DeliveryMessage,
  type DeliveryQueue,
  type DeliveryScheduler,
  wakeBy,
} from '../../shared/webhook/wake.ts';
import { agendaThrough, memoryAgenda } from './memory-agenda.ts';
import { memoryReceiverStore } from './memory-receiver-store.ts';

export type Fault = 'kill_before' | 'kill_after' | 'fail_before' | 'fail_after';

export interface Answer {
  readonly afterMs: number;
  /** A status, or what else became of the POST. */
  readonly status?: number;
  readonly error?: AttemptError;
}

export interface WorldOptions {
  readonly store: DeliveryStore & DeliveryReader;
  readonly agenda?: Agenda;
  readonly startAt: Date;
  readonly timeScale?: number;
  readonly scheduleLeadSeconds?: number;
  /** The fault of the n-th call, counted over the whole run. */
  readonly fault?: (name: string, index: number) => Fault | undefined;
  readonly answer: (deliveryId: string, postNumber: number) => Answer;
  readonly latencyMs?: () => number;
  readonly schedulerLatenessMs?: () => number;
  /** For how long a message of the slow lane waits for others to fill its batch. */
  readonly slowLaneGathersMs?: number;
  /** How often a sent message arrives: 1, or 0 for lost, or 2 for doubled. */
  readonly copies?: () => number;
}

export interface Post {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly at: Date;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lane: Lane;
}

interface Worker {
  readonly lane: Lane;
  dead: boolean;
  claimed?: { deliveryId: string; attempt: number };
  /** Set from the first byte of a POST until its outcome is written. */
  posting?: string;
}

interface Queued {
  readonly lane: Lane;
  readonly message: DeliveryMessage;
  receives: number;
  gone: boolean;
}

const visibilitySeconds = 60;
const receivesMax = 5;

export interface World {
  readonly posts: readonly Post[];
  /** Attempts during whose POST, or before the record of its outcome, the worker died. */
  readonly diedInPost: ReadonlySet<string>;
  readonly activities: ReadonlyMap<string, Activity>;
  readonly alarms: readonly string[];
  readonly wakes: readonly {
    readonly road: 'queue' | 'schedule';
    readonly delaySeconds: number;
    readonly at: Date;
  }[];
  readonly outcomes: readonly Outcome[];
  readonly calls: readonly string[];
  relay(before: Message | undefined, after: Message, accountUrl?: string): void;
  put(lane: Lane, message: DeliveryMessage): void;
  /** Lets time pass, with a sweep every minute, until nothing is left to happen or the time is over. */
  run(seconds: number): Promise<void>;
  now(): Date;
}

export function createWorld(options: WorldOptions): World {
  let now = options.startAt.getTime();
  let sequence = 0;
  let busy = 0;
  let revisions = 0;
  const events: { at: number; order: number; run: () => void }[] = [];
  const posts: Post[] = [];
  const diedInPost = new Set<string>();
  const activities = new Map<string, Activity>();
  const alarms: string[] = [];
  const wakes: { road: 'queue' | 'schedule'; delaySeconds: number; at: Date }[] = [];
  const outcomes: Outcome[] = [];
  const calls: string[] = [];
  const schedules = new Set<string>();
  const latencyMs = options.latencyMs ?? (() => 5);
  const never = new Promise<never>(() => {});
  const clock = () => new Date(now);
  const newRevision = () => `r${++revisions}`;

  function at(time: number, run: () => void): void {
    const entry = { at: time, order: sequence++, run };
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = events[middle];
      if (
        other !== undefined &&
        (other.at > entry.at || (other.at === entry.at && other.order > entry.order))
      )
        low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, entry);
  }
  const sleep = (ms: number) => new Promise<void>((resolve) => at(now + ms, resolve));

  function die(worker: Worker): Promise<never> {
    worker.dead = true;
    if (worker.posting !== undefined) diedInPost.add(worker.posting);
    return never;
  }

  async function call<T>(worker: Worker, name: string, act: () => Promise<T>): Promise<T> {
    if (worker.dead) return never;
    const fault = options.fault?.(name, calls.length);
    calls.push(name);
    if (fault === 'kill_before') return die(worker);
    if (fault === 'fail_before') throw new Error(`${name} failed`);
    await sleep(latencyMs());
    busy += 1;
    const value = await act().finally(() => {
      busy -= 1;
    });
    if (fault === 'kill_after') return die(worker);
    if (fault === 'fail_after') throw new Error(`the answer of ${name} was lost`);
    return value;
  }

  function put(lane: Lane, message: DeliveryMessage, delaySeconds = 0): void {
    const copies = options.copies?.() ?? 1;
    const gathersMs = lane === 'slow' ? (options.slowLaneGathersMs ?? 0) : 0;
    for (let i = 0; i < copies; i += 1) {
      show({ lane, message, receives: 0, gone: false }, now + delaySeconds * 1000 + gathersMs);
    }
  }
  function show(queued: Queued, from: number): void {
    at(from, () => {
      if (queued.gone) return;
      queued.receives += 1;
      if (queued.receives > receivesMax) return;
      // Comes again unless it is deleted, however the worker ends.
      show(queued, now + visibilitySeconds * 1000);
      void work(queued);
    });
  }
  async function work(queued: Queued): Promise<void> {
    const worker: Worker = { lane: queued.lane, dead: false };
    try {
      const settings = { lane: queued.lane, timeScale: options.timeScale ?? 1, userAgent: 'test' };
      outcomes.push(await deliver(portsOf(worker), settings, queued.message));
      queued.gone = true;
    } catch {
      // Back to the queue, once it is visible again.
    }
  }

  function storeOf(worker: Worker): DeliveryStore & DeliveryReader {
    const { store } = options;
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

  function queueOf(worker: Worker): DeliveryQueue {
    return {
      send: (lane, entries) =>
        call(worker, 'send', async () => {
          for (const { message, delaySeconds } of entries) {
            wakes.push({ road: 'queue', delaySeconds, at: clock() });
            put(lane, message, delaySeconds);
          }
        }),
    };
  }
  function schedulerOf(worker: Worker): DeliveryScheduler {
    return {
      schedule: (name, time, lane, message) =>
        call(worker, 'schedule', async () => {
          if (schedules.has(name)) return;
          schedules.add(name);
          wakes.push({ road: 'schedule', delaySeconds: (time.getTime() - now) / 1000, at: clock() });
          at(time.getTime() + (options.schedulerLatenessMs?.() ?? 0), () => {
            schedules.delete(name);
            put(lane, message);
          });
        }),
    };
  }
  const agenda = options.agenda ?? memoryAgenda();
  const agendaOf = (worker: Worker) => agendaThrough(agenda, (name, act) => call(worker, name, act));
  const receivers = memoryReceiverStore();
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
    const queue = queueOf(worker);
    return {
      deliveries: storeOf(worker),
      activityLog: {
        add: (entry) => call(worker, 'activity', async () => void activities.set(entry.entry_id, entry)),
      },
      secrets: {
        ofClient: () =>
          call(worker, 'secrets', async () => [
            { secret: 'whsec_c2VjcmV0', created_at: options.startAt.toISOString() },
          ]),
      },
      health: receiverHealth(receiversOf(worker)),
      post: (request) => postOf(worker, request),
      queue,
      wake: wakeBy(queue, schedulerOf(worker), options.scheduleLeadSeconds ?? 60),
      clock,
      sleep,
      newRevision,
      raiseAlarm: (delivery) => void alarms.push(delivery.delivery_id),
      warn: () => {},
    };
  }

  async function postOf(worker: Worker, request: Parameters<DeliverPorts['post']>[0]) {
    if (worker.dead) return never;
    const fault = options.fault?.('post', calls.length);
    calls.push('post');
    if (fault === 'kill_before') return die(worker);
    const { deliveryId, attempt } = worker.claimed ?? { deliveryId: 'unclaimed', attempt: 0 };
    worker.posting = `${deliveryId}#${attempt}`;
    posts.push({
      deliveryId,
      attempt,
      at: clock(),
      body: request.body,
      headers: request.headers,
      lane: worker.lane,
    });
    const answer = options.answer(deliveryId, posts.filter((post) => post.deliveryId === deliveryId).length);
    await sleep(answer.afterMs);
    if (fault === 'kill_after') return die(worker);
    return {
      timings: { totalMs: answer.afterMs },
      reusedConnection: false,
      status: answer.status,
      headers: {},
      bodyStart: '',
      error: answer.error ?? (answer.status === 200 ? undefined : ('not_200' as const)),
    };
  }

  const relayPortsOf = (worker: Worker): RelayPorts => ({
    agenda: agendaOf(worker),
    queue: queueOf(worker),
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
    at(now + 60_000, () => {
      const ports = {
        ...relayPortsOf(worker),
        deliveries: storeOf(worker),
        messages: { get: (id: string) => call(worker, 'get message', async () => relayed.get(id)) },
        accountUrlOf: async (clientId: string) => accountUrls.get(clientId),
        budgetMs: 40_000,
      };
      sweep(ports).catch(() => {});
      sweepEveryMinute();
    });
  }
  sweepEveryMinute();

  return {
    posts,
    diedInPost,
    activities,
    alarms,
    wakes,
    outcomes,
    calls,
    put,
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
        at(now + 10_000, () => {
          if (!through) tryAgain();
        });
      };
      at(now, tryAgain);
    },
    async run(seconds) {
      const until = now + seconds * 1000;
      for (;;) {
        const next = events.at(-1);
        if (next === undefined || next.at > until) break;
        events.pop();
        now = Math.max(now, next.at);
        next.run();
        do await new Promise(setImmediate);
        while (busy > 0);
      }
      now = until;
    },
  };
}
