/**
 * Adds messages that the relay missed to the due-item index, from which they are dispatched or expired. The relay adds
 * messages too, but depends on the stream; this scan does not. It reads the lists of all clients by time of sending, each
 * message once, and adds those that are not final.
 */

import type { ClientIdPage } from '../../client/client-ids.dynamo.ts';
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import { rowsPerReview } from '../../due-items/process-due-items.ts';
import { readRows } from '../../due-items/read-rows.ts';
import { isPermanentFault } from '../../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { isFinished } from '../fallback/legs.ts';
import type { MessageList } from '../store/message-list.ts';
import type { MessageStore } from '../store/message-store.ts';
import { firstReview } from './expire-messages.ts';

/** How far the scan is: of the messages sent from `from` until `until`, those of the clients after `after` remain. */
export interface ScanProgress {
  readonly from: Date;
  readonly until: Date;
  readonly after?: string | undefined;
  /** Whether the scan is complete; the next one begins at `until`. */
  readonly done: boolean;
}

export interface ScanProgressStore {
  read(): Promise<ScanProgress | undefined>;
  write(progress: ScanProgress): Promise<void>;
}

export interface AddMissedDependencies {
  readonly progress: ScanProgressStore;
  readonly clientIds: (after: string | undefined) => Promise<ClientIdPage>;
  readonly list: MessageList;
  readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
  readonly dueItemIndex: DueItemIndex;
  readonly clock: Clock;
  /** After this time the next run continues. */
  readonly endsAt: Date;
}

interface AddedMessages {
  readonly added: number;
  readonly failures: readonly unknown[];
}

/** Most messages are final by then, so few are added twice. */
const scannedAfterSeconds = 1200;
/** Between two scans: each queries the list of every client. */
const pauseSeconds = 900;
/** How far back the first scan goes: the retention of the stream. */
const firstScanSeconds = 86_400;
const clientsAtOnce = 10;

export async function addMissedMessages(dependencies: AddMissedDependencies): Promise<AddedMessages> {
  const failures: unknown[] = [];
  let added = 0;

  async function addMissedOf(clientId: string, { from, until }: ScanProgress): Promise<void> {
    // Nothing is due for an inbound message.
    const direction = 'outbound' as const;
    const range = { clientId, direction, from: from.toISOString(), before: until.toISOString() };
    const ids: string[] = [];
    for await (const { messageId } of dependencies.list.keys(range, rowsPerReview)) ids.push(messageId);
    for (const chunk of chunksOf(ids, rowsPerReview)) {
      const rows = await readRows(dependencies.messages, chunk, ({ message_id }) => message_id);
      // A row that cannot be read was set aside by the relay.
      const open = [...rows.values()].flatMap((row) =>
        row instanceof Error || isFinished(row) ? [] : [row],
      );
      if (open.length > 0) await dependencies.dueItemIndex.add('messages', open.map(firstReview));
      added += open.length;
    }
  }

  let progress = nextScan(await dependencies.progress.read(), dependencies.clock());
  while (!progress.done && dependencies.clock() < dependencies.endsAt) {
    const scan = progress;
    const { clientIds, next } = await dependencies.clientIds(scan.after);
    for (const chunk of chunksOf(clientIds, clientsAtOnce)) {
      const ended = await Promise.allSettled(chunk.map((clientId) => addMissedOf(clientId, scan)));
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
  return { added, failures };
}

/** The interrupted scan, else the next one; a complete one while it is too early for the next. */
function nextScan(known: ScanProgress | undefined, now: Date): ScanProgress {
  if (known !== undefined && !known.done) return known;
  const from = known?.until ?? addSeconds(now, -firstScanSeconds);
  const until = addSeconds(now, -scannedAfterSeconds);
  return { from, until, done: until < addSeconds(from, pauseSeconds) };
}
