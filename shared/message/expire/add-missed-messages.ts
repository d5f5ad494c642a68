/**
 * Adds messages that the relay missed to the due-item index. The relay does so for others, and depends on the stream; this
 * scan does not. It reads the lists of all clients by time of sending, each message once, and adds every message that is
 * not final to the due-item index, from which it is dispatched or expired.
 */

import type { ClientIdPage } from '../../client/client-ids.dynamo.ts';
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import { readRows } from '../../due-items/read-rows.ts';
import { isPermanentFault } from '../../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { isFinished } from '../fallback/legs.ts';
import type { MessageList } from '../store/message-list.ts';
import type { MessageStore } from '../store/message-store.ts';
import { firstReview } from './expire-messages.ts';

/** The messages being scanned: sent from `from` until `until`, of the clients after `after`. */
export interface RecoveryProgress {
  readonly from: Date;
  readonly until: Date;
  readonly after?: string | undefined;
  /** Whether the scan is complete; the next one begins at `until`. */
  readonly done: boolean;
}

export interface RecoveryStore {
  read(): Promise<RecoveryProgress | undefined>;
  write(progress: RecoveryProgress): Promise<void>;
}

export interface RecoverDependencies {
  readonly progress: RecoveryStore;
  readonly clientIds: (after: string | undefined) => Promise<ClientIdPage>;
  readonly list: MessageList;
  readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
  readonly dueItemIndex: DueItemIndex;
  readonly clock: Clock;
  /** After this time the next run continues. */
  readonly endsAt: Date;
}

interface Recovery {
  /** Messages that were added to the due-item index. */
  readonly entered: number;
  readonly failures: readonly unknown[];
}

/** Most messages are final by then, so few are added twice. */
const ageSeconds = 1200;
/** Each scan queries the list of every client, so it is rare. */
const pauseSeconds = 900;
/** How far back the first scan goes: the retention of the stream. */
const firstScanSeconds = 86_400;
const clientsAtOnce = 10;
/** The maximum of one DynamoDB call. */
const rowsPerReview = 100;

export async function addMissedMessages(dependencies: RecoverDependencies): Promise<Recovery> {
  const failures: unknown[] = [];
  let entered = 0;

  async function recoverOf(clientId: string, { from, until }: RecoveryProgress): Promise<void> {
    // Nothing is due for an inbound message.
    const direction = 'outbound' as const;
    const range = { clientId, direction, from: from.toISOString(), before: until.toISOString() };
    const ids: string[] = [];
    for await (const { messageId } of dependencies.list.keys(range, rowsPerReview)) ids.push(messageId);
    for (const some of chunksOf(ids, rowsPerReview)) {
      const rows = [
        ...(await readRows(dependencies.messages, some, ({ message_id }) => message_id)).values(),
      ];
      // A row that cannot be read was set aside by the relay.
      const open = rows.flatMap((row) => (row instanceof Error || isFinished(row) ? [] : [row]));
      if (open.length > 0) await dependencies.dueItemIndex.add('messages', open.map(firstReview));
      entered += open.length;
    }
  }

  let progress = nextScan(await dependencies.progress.read(), dependencies.clock());
  while (!progress.done && dependencies.clock() < dependencies.endsAt) {
    const scan = progress;
    const { clientIds, next } = await dependencies.clientIds(scan.after);
    for (const some of chunksOf(clientIds, clientsAtOnce)) {
      const ended = await Promise.allSettled(some.map((clientId) => recoverOf(clientId, scan)));
      for (const end of ended) {
        if (end.status === 'fulfilled') continue;
        // The next run repeats from the last page, unless it would always fail.
        if (!isPermanentFault(end.reason)) throw end.reason;
        failures.push(end.reason);
      }
    }
    progress = { ...scan, after: next, done: next === undefined };
    await dependencies.progress.write(progress);
  }
  return { entered, failures };
}

/** The interrupted scan, else the next one; a complete one while it is too early for the next. */
function nextScan(known: RecoveryProgress | undefined, now: Date): RecoveryProgress {
  if (known !== undefined && !known.done) return known;
  const from = known?.until ?? addSeconds(now, -firstScanSeconds);
  const until = addSeconds(now, -ageSeconds);
  return { from, until, done: until < addSeconds(from, pauseSeconds) };
}
