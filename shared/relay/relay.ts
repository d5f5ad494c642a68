/**
 * Relays each change of a message: queues its hand-over, and the start of the leg that follows it, creates the webhook
 * deliveries of the states it entered, and adds it to the due-item index while it is not final. All of this follows from
 * the change, so the table's stream is the outbox, and a relay that died can be repeated: a delivery is written once for
 * its id, and a second due item or queue message does nothing.
 *
 * A change that a service refuses permanently is set aside, so that it does not block the others.
 */
import type { SendKind } from '../contract/send-kinds.ts';
import {
  nextLegEntryOf,
  type OutboundEntry,
  type OutboundQueue,
  outboundEntriesOf,
  outboundEntryOf,
  queuedMessageOf,
} from '../message/dispatch/outbound-queue.ts';
import { firstReview } from '../message/expire/expire-messages.ts';
import { isFinished, nextLegDueAfter } from '../message/fallback/legs.ts';
import { eventsToSend, lastChangeOf, type Message, type MessageChange } from '../message/message.ts';
import type { ScheduleOnce } from '../platform/aws/one-shot-schedule.scheduler.ts';
import { allEnded, isolateRefused } from '../platform/aws/permanent-fault.ts';
import { queueDelayMaxSeconds } from '../platform/aws/queue-delay.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { SetAside } from '../set-aside/set-aside.ts';
import type { WebhookEndpoint } from '../webhook/endpoints/webhook-endpoint.ts';
import {
  type ChangeWithDestinations,
  type RelayWebhooksDependencies,
  relayDeliveries,
} from '../webhook/plan/plan-deliveries.ts';

export interface RelayDependencies {
  readonly outbound: OutboundQueue;
  readonly scheduleOnce: ScheduleOnce<SendKind>;
  /** How late a schedule may run: it is set that much earlier. */
  readonly scheduleLeadSeconds: number;
  readonly webhooks: RelayWebhooksDependencies;
  /** The present webhook URL of the account. */
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  /** Its present webhook endpoints. */
  readonly endpointsOf: (clientId: string) => Promise<readonly WebhookEndpoint[]>;
  readonly setAside: SetAside;
  readonly clock: Clock;
}

interface Relayed {
  readonly handOvers: number;
  readonly scheduled: number;
  readonly deliveries: number;
  /** Changes for which a service refused something permanently. */
  readonly refused: number;
}

/** @throws when something may not be relayed and a retry may help: all changes must be relayed again. */
export async function relay(
  dependencies: RelayDependencies,
  changes: readonly MessageChange[],
): Promise<Relayed> {
  const totals = { handOvers: 0, scheduled: 0, deliveries: 0, refused: 0 };
  await isolateRefused(
    changes,
    async (group) => {
      const done = await relayTogether(dependencies, group);
      totals.handOvers += done.handOvers;
      totals.scheduled += done.scheduled;
      totals.deliveries += done.deliveries;
    },
    async ({ after }, error) => {
      totals.refused += 1;
      await dependencies.setAside({
        summary: `A service refused what follows from the message being ${after.status}`,
        clientId: after.client_id,
        messageId: after.message_id,
        since: lastChangeOf(after),
        error,
      });
    },
  );
  return totals;
}

async function relayTogether(
  dependencies: RelayDependencies,
  changes: readonly MessageChange[],
): Promise<Omit<Relayed, 'refused'>> {
  const queued = changes.filter(
    ({ before, after }) => after.status === 'queued' && before?.status !== 'queued',
  );
  const scheduled = changes.filter(
    ({ before, after }) => after.status === 'scheduled' && before === undefined,
  );
  const stored = changes
    .filter(({ before, after }) => before === undefined && !isFinished(after))
    .map(({ after }) => after);
  const nextLegs = changes.flatMap((change) => {
    const dueAt = nextLegDueAfter(change);
    return dueAt === undefined ? [] : [{ message: change.after, dueAt }];
  });
  const [, , , , deliveries] = await allEnded([
    dependencies.webhooks.dueItemIndex.add('messages', stored.map(firstReview)),
    dependencies.outbound.enqueue(
      queued.flatMap(({ after }) => outboundEntriesOf(after, dependencies.clock())),
    ),
    allEnded(scheduled.map(({ after }) => enqueueScheduled(dependencies, after))),
    allEnded(nextLegs.map(({ message, dueAt }) => enqueueNextLeg(dependencies, message, dueAt))),
    planAndEnqueueWebhooks(dependencies, changes),
  ]);
  return { handOvers: queued.length, scheduled: scheduled.length, deliveries };
}

/** A scheduled message is queued when it is due, or a little earlier: its dispatch waits for the exact time. */
function enqueueScheduled(dependencies: RelayDependencies, message: Message): Promise<void> {
  const dueAt = new Date(message.scheduled_at ?? message.created_at);
  const seconds = Math.floor((dueAt.getTime() - dependencies.clock().getTime()) / 1000);
  return enqueueAt(dependencies, outboundEntryOf(message, seconds), dueAt);
}

/** Every change that makes it due does this again: the leg is started once, whatever comes first. */
function enqueueNextLeg(dependencies: RelayDependencies, message: Message, dueAt: Date): Promise<void> {
  return enqueueAt(dependencies, nextLegEntryOf(message, dueAt, dependencies.clock()), dueAt);
}

/** With the delay of the queue, or with a schedule, which may run late and is set earlier. */
async function enqueueAt(
  { outbound, scheduleOnce, scheduleLeadSeconds, clock }: RelayDependencies,
  entry: OutboundEntry,
  dueAt: Date,
): Promise<void> {
  if (dueAt <= addSeconds(clock(), queueDelayMaxSeconds)) return outbound.enqueue([entry]);
  // A message can have two schedules: its own hand-over, and the leg that follows it.
  const name = entry.nextLeg === undefined ? entry.messageId : `${entry.messageId}-next-leg`;
  const at = addSeconds(dueAt, -scheduleLeadSeconds);
  await scheduleOnce({ name, at, queue: entry.kind, message: queuedMessageOf(entry) });
}

async function planAndEnqueueWebhooks(
  dependencies: RelayDependencies,
  changes: readonly MessageChange[],
): Promise<number> {
  // Read once for each client and batch, and never kept longer: a change counts for the next event.
  const accountUrlOf = once(dependencies.accountUrlOf);
  const endpointsOf = once(dependencies.endpointsOf);
  const withDestinations = await Promise.all(
    changes
      .filter((change) => eventsToSend(change).length > 0)
      .map(async ({ before, after }): Promise<ChangeWithDestinations> => {
        const [accountUrl, endpoints] = await Promise.all([
          after.webhook_url === undefined ? accountUrlOf(after.client_id) : undefined,
          endpointsOf(after.client_id),
        ]);
        return { before, after, accountUrl, endpoints };
      }),
  );
  return relayDeliveries(dependencies.webhooks, withDestinations);
}

/** Reads the same key only once. */
function once<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
