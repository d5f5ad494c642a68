/**
 * Relays each change of a message: queues its hand-over and the start of the next leg, and creates the webhook deliveries
 * for the new states. All of this depends only on the change, so the table's stream is the outbox, and the work of a dead
 * relay can be repeated: a delivery is written once for its id, and a second queue message has no effect. If the relay or a
 * queue loses the work, the time in the message's row queues it again (due/due-index.ts).
 *
 * A batch contains changes of many clients, and later records wait for it. So no change of one client may fail the batch,
 * or take longer because this client has many endpoints: all deliveries are created in parallel. The stream's filter leaves
 * out deletions and claims (`sending`), which start no work. A record is set aside alone if it is not a valid message, if
 * an AWS service refuses it, or if it fails for more than a minute. The other records are processed. The queue of set-aside
 * records invokes the relay again every ten minutes.
 *
 * Why: docs/decisions/message-row-is-the-outbox.md
 */

import * as z from 'zod/mini';
import { nextLegDueAfter } from '../message/dispatch/fallback.ts';
import {
  enqueueOutbound,
  type OutboundContext,
  type OutboundEntry,
  outboundEntryAt,
  queuedEntryOf,
} from '../message/dispatch/outbound-queue.sqs.ts';
import { eventsToSend, type Message, type MessageChange } from '../message/message.ts';
import { isNear, isQueuedByRelay, parseMessageRow } from '../message/store/message-row.ts';
import { readMessage } from '../message/store/messages.dynamo.ts';
import { allEnded, isolateRefused } from '../platform/aws/permanent-fault.ts';
import {
  exactRowIn,
  isRestoreWrite,
  rowIn,
  type StreamRecord,
} from '../platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { jsonIn } from '../platform/object-fields.ts';
import type { QueueRecord } from '../platform/process-queue-batch.ts';
import {
  createDeliveries,
  deliveriesToSlow,
  type StoredDeliveries,
} from '../webhook/delivery-store.dynamo.ts';
import { plannedEndpointsOf } from '../webhook/endpoint-store.dynamo.ts';
import { planDeliveries } from '../webhook/plan-deliveries.ts';
import { sendSetAside } from './set-aside-copy.sqs.ts';

interface RelayedRecord {
  readonly record: StreamRecord;
  readonly change: MessageChange;
}

/**
 * Returns the change in a record; undefined for a removal or a restored row, which start no work.
 *
 * @throws ZodError or TypeError if the row is not a valid message
 */
function changeIn(record: StreamRecord): MessageChange | undefined {
  const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
  if (after === undefined || isRestoreWrite(record)) return undefined;
  return { before: before === undefined ? undefined : messageOf(before), after: messageOf(after) };
}

/** Parses a row. A number with too many digits for JavaScript fits no schema, so its record is invalid. */
function messageOf(image: unknown): Message {
  return parseMessageRow(exactRowIn(image));
}

/** The context of the relay. */
export type RelayContext = StoredDeliveries &
  OutboundContext &
  Context<'MESSAGES_TABLE' | 'WEBHOOK_ENDPOINTS_TABLE' | 'RELAY_DEAD_LETTER_QUEUE_URL'> & {
    /** Returns the current webhook URL of the account. */
    readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  };

/** A record that fails for this long is set aside, so that later records of its shard are processed. */
const failsAtMostSeconds = 60;

/**
 * Relays the changes in records of the stream. Returns how many messages were queued, and how many records were set aside.
 *
 * @throws if a record younger than a minute fails, or a record cannot be set aside; the caller then passes all records
 * again.
 */
export async function relay(context: RelayContext, records: readonly StreamRecord[]) {
  const totals = { handOvers: 0, deliveries: 0, set_aside: 0 };
  const readable: RelayedRecord[] = [];

  async function setAside(record: StreamRecord, error: unknown): Promise<void> {
    await sendSetAside(context, record);
    totals.set_aside += 1;
    const { message_id, client_id } = rowIn(record.dynamodb?.NewImage) ?? {};
    context.log.error('a stream record was set aside', {
      event_id: record.eventID,
      message_id,
      client_id,
      error,
    });
  }

  async function relayGroup(group: readonly RelayedRecord[]): Promise<void> {
    await isolateRefused(
      group,
      async (some) => {
        const done = await relayChanges(
          context,
          some.map(({ change }) => change),
        );
        totals.handOvers += done.handOvers;
        totals.deliveries += done.deliveries;
      },
      ({ record }, error) => setAside(record, error),
    );
  }

  async function relayAlone(relayed: RelayedRecord): Promise<void> {
    try {
      await relayGroup([relayed]);
    } catch (error) {
      if (!isOld(relayed.record, context.clock())) throw error;
      await setAside(relayed.record, error);
    }
  }

  for (const record of records) {
    try {
      const change = changeIn(record);
      if (change !== undefined) readable.push({ record, change });
    } catch (error) {
      await setAside(record, error);
    }
  }
  try {
    await relayGroup(readable);
  } catch (error) {
    if (!readable.some(({ record }) => isOld(record, context.clock()))) throw error;
    await allEnded(readable.map(relayAlone));
  }
  return totals;
}

function isOld({ dynamodb }: StreamRecord, now: Date): boolean {
  const { ApproximateCreationDateTime: seconds = 0 } = dynamodb ?? {};
  return addSeconds(new Date(seconds * 1000), failsAtMostSeconds) < now;
}

const setAsideRecord = z.object({
  eventID: z.optional(z.string()),
  dynamodb: z.object({
    Keys: z.object({ message_id: z.object({ S: z.string() }) }),
    OldImage: z.optional(z.unknown()),
    NewImage: z.unknown(),
  }),
});

/**
 * Relays set-aside records again. A record that fails stays in the queue until its visibility timeout, and is then received
 * again. Other messages in this queue stay there for an operator.
 */
export async function relayAgain(
  context: RelayContext,
  queued: readonly QueueRecord[],
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> {
  const kept = await Promise.all(
    queued.map(async ({ messageId, body }) => {
      const { data: record } = setAsideRecord.safeParse(jsonIn(body));
      if (record !== undefined) {
        try {
          await relayChanges(context, await changesIn(record));
          return [];
        } catch (error) {
          const { message_id } = record.dynamodb.Keys;
          context.log.error('a stream record still fails', {
            event_id: record.eventID,
            message_id: message_id.S,
            error,
          });
        }
      }
      return [{ itemIdentifier: messageId }];
    }),
  );
  return { batchItemFailures: kept.flat() };

  /**
   * Returns the changes in the record. If it is invalid, reads the row again, because an administrator may have corrected
   * it.
   */
  async function changesIn(record: z.output<typeof setAsideRecord>): Promise<MessageChange[]> {
    try {
      return [changeIn(record)].flatMap((change) => change ?? []);
    } catch {
      const row = await readMessage(context, record.dynamodb.Keys.message_id.S);
      return row === undefined ? [] : [{ before: undefined, after: row }];
    }
  }
}

/** @throws if a part may not be relayed; the caller then passes all changes again. */
export async function relayChanges(context: RelayContext, changes: readonly MessageChange[]) {
  const now = context.clock();
  const handOvers = changes.flatMap((change) => handOverAfter(change, now));
  const [, deliveries] = await allEnded([
    enqueueOutbound(context, [...handOvers, ...changes.flatMap((change) => nextLegAfter(change, now))]),
    createWebhooks(context, changes),
  ]);
  return { handOvers: handOvers.length, deliveries };
}

/**
 * Returns the hand-over of a new message. If the message is scheduled later than a queue can delay it, the due index queues
 * it.
 */
function handOverAfter({ before, after }: MessageChange, now: Date): OutboundEntry[] {
  if (before !== undefined) return [];
  if (after.status === 'queued') return [queuedEntryOf(after, now)];
  if (after.status !== 'scheduled' || !isQueuedByRelay(after)) return [];
  return [outboundEntryAt(after, new Date(after.scheduled_at ?? after.created_at), now)];
}

/** Returns the start of the next leg, if this change determines its time. A worker then starts the leg. */
function nextLegAfter(change: MessageChange, now: Date): OutboundEntry[] {
  const dueAt = nextLegDueAfter(change);
  return dueAt !== undefined && isNear(dueAt, now) ? [outboundEntryAt(change.after, dueAt, now)] : [];
}

async function createWebhooks(context: RelayContext, changes: readonly MessageChange[]): Promise<number> {
  const withEvents = changes.filter((change) => eventsToSend(change).length > 0);
  // The URL and the endpoints are read once for each client and batch, and not cached, because a change applies to the next
  // event.
  const planned = await allEnded(
    [...Map.groupBy(withEvents, ({ after }) => after.client_id)].map(async ([clientId, ofClient]) => {
      const needsAccountUrl = ofClient.some(({ after }) => after.webhook_url === undefined);
      const [accountUrl, endpoints] = await allEnded([
        needsAccountUrl ? context.accountUrlOf(clientId) : Promise.resolve(undefined),
        plannedEndpointsOf(context, clientId),
      ]);
      return ofClient.flatMap((change) => planDeliveries({ ...change, accountUrl, endpoints }));
    }),
  );
  return (await createDeliveries(context, planned.flat(), deliveriesToSlow)).length;
}
