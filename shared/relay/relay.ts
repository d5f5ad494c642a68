/**
 * Relays each change of a message: queues its hand-over and the start of the next leg, creates the webhook deliveries
 * for the states it entered, and adds it to the due-item index while it is not final. All of this follows from the
 * change alone, so the table's stream is the outbox, and a relay that died can be repeated: a delivery is written
 * once for its id, and a second due item or queue message does nothing.
 *
 * A batch contains changes of many clients, and later records wait for it. So no client's change may fail it, or take
 * longer because that client has many endpoints: a change that a service refuses permanently is set aside, an event
 * with several webhooks is queued as one message, and an event whose destinations cannot be read is left to the
 * sweep.
 *
 * Why: docs/decisions/message-row-is-the-outbox.md
 */

import { isFinished, nextLegDueAfter } from '../message/dispatch/fallback.ts';
import { type OutboundQueue, queuedEntryOf } from '../message/dispatch/outbound-queue.sqs.ts';
import {
  handOverOf,
  isNear,
  type Timed,
  timedDueItemOf,
  timedEntryOf,
} from '../message/dispatch/scheduled-entries.ts';
import {
  eventsToSend,
  isRelease,
  lastChangeOf,
  type Message,
  type MessageChange,
} from '../message/message.ts';
import { parseMessageRow } from '../message/store/message-store.ts';
import { allEnded, isolateRefused, isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { exactRowIn, isRestoreWrite, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { readOnce } from '../platform/expiring-cache.ts';
import { log } from '../platform/log.ts';
import type { SetAside } from '../recovery/set-aside.sqs.ts';
import {
  type ChangeWithDestinations,
  leaveToSweep,
  type PlanDependencies,
  relayDeliveries,
} from '../webhook/plan-deliveries.ts';
import type { PlannedEndpoint } from '../webhook/webhook-endpoint.ts';
import { firstReview } from './expire-messages.ts';

/**
 * Returns the changes in these records. Leaves out removals, restored rows, and invalid messages, for which a retry
 * would not help.
 */
export function readChanges(records: readonly StreamRecord[]) {
  const changes: MessageChange[] = [];
  const unreadable: StreamRecord[] = [];
  for (const record of records) {
    const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
    if (after === undefined || isRestoreWrite(record)) continue;
    try {
      changes.push({ before: before === undefined ? undefined : messageOf(before), after: messageOf(after) });
    } catch {
      unreadable.push(record);
    }
  }
  return { changes, unreadable };
}

/** Parses a row. A number that is too long for JavaScript fits no schema, so its record is not a valid message. */
function messageOf(image: unknown): Message {
  return parseMessageRow(exactRowIn(image));
}

/** Keeps a copy of records that are not valid messages, so that they neither block the others nor get lost. */
export async function setUnreadableAside(
  keepCopy: (copy: unknown) => Promise<void>,
  records: readonly StreamRecord[],
): Promise<void> {
  for (const record of records) {
    await keepCopy(record);
    log.error('stream record unreadable', { event_id: record.eventID });
  }
}

export interface RelayDependencies {
  readonly outbound: OutboundQueue;
  readonly webhooks: PlanDependencies;
  /** Returns the present webhook URL of the account. */
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  /** Returns its present webhook endpoints. */
  readonly endpointsOf: (clientId: string) => Promise<readonly PlannedEndpoint[]>;
  readonly setAside: SetAside;
  readonly warn: (message: string, error: unknown) => void;
  readonly clock: Clock;
}

/**
 * Returns the numbers of relayed items. `refused` is the number of changes for which a service permanently refused
 * a step.
 *
 * @throws if a part may not be relayed and a retry may help: all changes must be relayed again.
 */
export async function relay(dependencies: RelayDependencies, changes: readonly MessageChange[]) {
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
        summary: `A service refused a step that follows from the message's status, which is ${after.status}`,
        clientId: after.client_id,
        messageId: after.message_id,
        since: lastChangeOf(after),
        error,
      });
    },
  );
  return totals;
}

async function relayTogether(dependencies: RelayDependencies, changes: readonly MessageChange[]) {
  const now = dependencies.clock();
  const { dueItemIndex } = dependencies.webhooks;
  const queued = changes.filter(
    (change) => change.after.status === 'queued' && (change.before?.status !== 'queued' || isRelease(change)),
  );
  const scheduled = changes.filter(
    ({ before, after }) => after.status === 'scheduled' && before === undefined,
  );
  const stored = changes
    .filter((change) => isStart(change) && !isFinished(change.after))
    .map(({ after }) => after);
  const timed = changes.flatMap(timedAfter);
  const [, , , deliveries] = await allEnded([
    dependencies.outbound.enqueue([
      ...queued.map(({ after }) => queuedEntryOf(after, now)),
      ...timed.filter((each) => isNear(each, now)).map((each) => timedEntryOf(each, now)),
    ]),
    dueItemIndex.add('messages', stored.map(firstReview)),
    dueItemIndex.add('scheduled', timed.filter((each) => !isNear(each, now)).map(timedDueItemOf)),
    planAndEnqueueWebhooks(dependencies, changes),
  ]);
  return { handOvers: queued.length, scheduled: scheduled.length, deliveries };
}

/** True if the message begins to have work that is due: it was stored, or an administrator released it. */
function isStart(change: MessageChange): boolean {
  return change.before === undefined || isRelease(change);
}

/**
 * Returns the steps that this change requires at a later time. Every change that makes a leg due returns it again:
 * the leg is started once.
 */
function timedAfter(change: MessageChange): Timed[] {
  const { after } = change;
  const legDueAt = nextLegDueAfter(change);
  return [
    ...(isStart(change) ? handOverOf(after) : []),
    ...(legDueAt === undefined ? [] : [{ message: after, step: 'next_leg', dueAt: legDueAt } as const]),
  ];
}

async function planAndEnqueueWebhooks(
  dependencies: RelayDependencies,
  changes: readonly MessageChange[],
): Promise<number> {
  // Both are read once for each client and batch, and kept no longer: a change counts for the next event.
  const accountUrlOf = readOnce(dependencies.accountUrlOf);
  const endpointsOf = readOnce(dependencies.endpointsOf);
  const unknown: MessageChange[] = [];
  const known = await Promise.all(
    changes
      .filter((change) => eventsToSend(change).length > 0)
      .map(async ({ before, after }): Promise<ChangeWithDestinations[]> => {
        try {
          const [accountUrl, endpoints] = await allEnded([
            after.webhook_url === undefined ? accountUrlOf(after.client_id) : Promise.resolve(undefined),
            endpointsOf(after.client_id),
          ]);
          return [{ before, after, accountUrl, endpoints }];
        } catch (error) {
          // An error that every retry repeats is set aside.
          if (isPermanentFault(error)) throw error;
          dependencies.warn('the destinations of an event could not be read', error);
          unknown.push({ before, after });
          return [];
        }
      }),
  );
  const [planned] = await allEnded([
    relayDeliveries(dependencies.webhooks, known.flat()),
    leaveToSweep(dependencies.webhooks, unknown),
  ]);
  return planned;
}
