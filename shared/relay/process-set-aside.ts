/**
 * Processes what was set aside, after a person has removed the cause. Nothing is done twice: what follows from a message
 * is left to the reviews of the due-item index, which read the rows first, and a dead letter goes to its own queue again,
 * whose consumer does nothing that is done already. So a message that is processed twice has no second effect.
 */
import * as z from 'zod/mini';
import type { Message } from '../message/message.ts';
import type { Clock } from '../platform/clock.ts';
import type { DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import { type Delivery, dueItemOf } from '../webhook/delivery.ts';
import type { ScanProgressStore } from './add-missed-messages.ts';
import { leaveToReview } from './expire-messages.ts';
import { lostRecordsQueue, type SetAsideMessage, workOf } from './set-aside-records.ts';

export interface ProcessSetAsideDependencies {
  readonly messages: { get(messageId: string): Promise<Message | undefined> };
  readonly deliveries: { get(deliveryId: string): Promise<Delivery | undefined> };
  readonly dueItemIndex: Pick<DueItemIndex, 'add'>;
  readonly scanProgress: Pick<ScanProgressStore, 'read'>;
  /** The name of the messages table, whose lost records a scan recovers. */
  readonly messagesTable: string;
  /** Sends the message to the queue that it came from. */
  readonly sendBack: (message: SetAsideMessage) => Promise<void>;
  readonly clock: Clock;
}

/** What was done, as a sentence; `removed` says whether the message may be deleted from its queue. */
interface ProcessedSetAside {
  readonly removed: boolean;
  readonly outcome: string;
}

const kept = (outcome: string): ProcessedSetAside => ({ removed: false, outcome });
const removed = (outcome: string): ProcessedSetAside => ({ removed: true, outcome });

export async function processSetAside(
  dependencies: ProcessSetAsideDependencies,
  message: SetAsideMessage,
): Promise<ProcessedSetAside> {
  const work = workOf(message);
  switch (work.kind) {
    case 'unreadable_record':
    case 'refused_entry':
      return reviewAgain(dependencies, work);
    case 'lost_records':
      return afterLostRecords(dependencies, message.queue, work.table);
    case 'dead_letter':
      await dependencies.sendBack(message);
      return removed('It was sent to its queue again.');
    case 'unknown':
      return kept('Its content is not known; it was sent by a person. Delete it in the SQS console.');
  }
}

/** Leaves the message to the reviews, with the events since the work arose, and the delivery if it has a row. */
async function reviewAgain(
  dependencies: ProcessSetAsideDependencies,
  {
    messageId,
    deliveryId,
    since,
  }: { messageId?: string | undefined; deliveryId?: string | undefined; since: string },
): Promise<ProcessedSetAside> {
  const { dueItemIndex, clock } = dependencies;
  const delivery = deliveryId === undefined ? undefined : await dependencies.deliveries.get(deliveryId);
  if (delivery !== undefined) await dueItemIndex.add('deliveries', dueItemOf(delivery));
  if (messageId === undefined)
    return removed(
      delivery === undefined ? 'Its row was deleted.' : 'The webhook is reviewed within a minute.',
    );
  const message = await dependencies.messages.get(messageId).catch((error: unknown) => {
    if (error instanceof z.core.$ZodError) return error;
    throw error;
  });
  if (message instanceof Error) {
    const fields = message.issues.map(({ path }) => path.join('.') || 'the whole row');
    return kept(`The row of ${messageId} is still not valid: correct ${fields.join(', ')}.`);
  }
  if (message === undefined) return removed(`The row of ${messageId} was deleted; nothing is due.`);
  await leaveToReview(dependencies, [message], { since, until: clock().toISOString() });
  return removed(`${messageId} and its webhooks are reviewed within a minute.`);
}

async function afterLostRecords(
  { scanProgress, messagesTable }: ProcessSetAsideDependencies,
  queue: string,
  table: string,
): Promise<ProcessedSetAside> {
  if (queue === lostRecordsQueue)
    return kept('The function expire-messages receives it within a quarter of an hour, and starts a scan.');
  if (table !== messagesTable)
    return removed(
      `The hourly review writes the feedback of ${table}; the Activity Log lacks an entry of these changes.`,
    );
  const progress = await scanProgress.read();
  const isScanned = progress !== undefined && progress.lost === undefined && progress.done;
  return isScanned
    ? removed('A scan has reviewed the messages and webhooks that these records can be of.')
    : kept(
        'The scan of the messages that these records can be of is not complete; try again in a quarter of an hour.',
      );
}
