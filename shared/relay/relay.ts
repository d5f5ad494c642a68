/**
 * What follows from a change of a message: a hand-over, the webhooks of the states it entered, and its place in the
 * agenda while it is not final. All of it is derived from the change itself, so the table's stream is the outbox, and a
 * relay that dies is repeated: a delivery's row is written once for its id, an entry of the agenda too many finds its
 * message looked after, and a queue message too many finds its work done.
 *
 * A change that a service refuses for good is set aside alone: it holds up none of the others.
 */
import { addSeconds, type Clock } from '../clock.ts';
import { allEnded, isolateRefused } from '../lasting-fault.ts';
import { firstLook } from '../message/expire.ts';
import { eventsOwed, lastChangeOf, type Message, type MessageChange } from '../message/message.ts';
import type { OutboundQueue, OutboundScheduler } from '../message/outbound-queue.ts';
import { queueDelayMaxSeconds } from '../queue-delay.ts';
import type { SetAside } from '../set-aside/set-aside.ts';
import { type OwedChange, type RelayPorts, relayDeliveries } from '../webhook/plan-deliveries.ts';

export interface RelayDependencies {
  readonly outbound: OutboundQueue;
  readonly outboundScheduler: OutboundScheduler;
  /** How late the scheduler may be: schedules are aimed that much early. */
  readonly scheduleLeadSeconds: number;
  readonly webhooks: RelayPorts;
  /** The account's webhook URL as it stands now. */
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly setAside: SetAside;
  readonly clock: Clock;
}

export interface Relayed {
  readonly handOvers: number;
  readonly scheduled: number;
  readonly deliveries: number;
  /** Changes of which a service refused something for good. */
  readonly refused: number;
}

/** @throws when anything may not be passed on and another try may help: all changes are to be relayed again. */
export async function relay(deps: RelayDependencies, changes: readonly MessageChange[]): Promise<Relayed> {
  const totals = { handOvers: 0, scheduled: 0, deliveries: 0, refused: 0 };
  await isolateRefused(
    changes,
    async (some) => {
      const done = await relayTogether(deps, some);
      totals.handOvers += done.handOvers;
      totals.scheduled += done.scheduled;
      totals.deliveries += done.deliveries;
    },
    async ({ after }, error) => {
      totals.refused += 1;
      await deps.setAside({
        summary: `What follows from the message being ${after.status} was refused by a service`,
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
  deps: RelayDependencies,
  changes: readonly MessageChange[],
): Promise<Omit<Relayed, 'refused'>> {
  const queued = changes.filter(
    ({ before, after }) => after.status === 'queued' && before?.status !== 'queued',
  );
  const scheduled = changes.filter(
    ({ before, after }) => after.status === 'scheduled' && before === undefined,
  );
  const stored = changes.filter(({ before }) => before === undefined).map(({ after }) => after);
  const [, , , deliveries] = await allEnded([
    deps.webhooks.agenda.add('messages', stored.map(firstLook)),
    deps.outbound.enqueue(
      queued.map(({ after }) => ({ messageId: after.message_id, clientId: after.client_id })),
    ),
    allEnded(scheduled.map(({ after }) => wakeAtItsTime(deps, after))),
    oweDeliveries(deps, changes),
  ]);
  return { handOvers: queued.length, scheduled: scheduled.length, deliveries };
}

/** By the queue's delay, or by a schedule aimed early: whoever takes the message waits out the rest. */
async function wakeAtItsTime(deps: RelayDependencies, message: Message): Promise<void> {
  const dueAt = new Date(message.scheduled_at ?? message.created_at);
  const seconds = Math.max(0, (dueAt.getTime() - deps.clock().getTime()) / 1000);
  if (seconds > queueDelayMaxSeconds) {
    await deps.outboundScheduler.schedule(message.message_id, addSeconds(dueAt, -deps.scheduleLeadSeconds));
  } else {
    const delaySeconds = Math.floor(seconds);
    await deps.outbound.enqueue([
      { messageId: message.message_id, clientId: message.client_id, delaySeconds },
    ]);
  }
}

async function oweDeliveries(deps: RelayDependencies, changes: readonly MessageChange[]): Promise<number> {
  const urls = new Map<string, Promise<string | undefined>>();
  function accountUrl(clientId: string): Promise<string | undefined> {
    const known = urls.get(clientId) ?? deps.accountUrlOf(clientId);
    urls.set(clientId, known);
    return known;
  }

  const owed = await Promise.all(
    changes
      .filter((change) => eventsOwed(change).length > 0)
      .map(async ({ before, after }): Promise<OwedChange> => {
        const url = after.webhook_url === undefined ? await accountUrl(after.client_id) : undefined;
        return { before, after, accountUrl: url };
      }),
  );
  return relayDeliveries(deps.webhooks, owed);
}
