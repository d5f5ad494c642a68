/**
 * Finds messages that nobody passed on. A message gets its place in the agenda by the relay, and so by the stream; this
 * walk needs neither. It goes through the lists of all clients, by time of sending, once for each message, and enters
 * each one that is still open in the agenda, which then brings it to a carrier or to its end.
 */

import type { ClientIdPage } from '../../client/client-store.ts';
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import { readRows } from '../../due-items/read-rows.ts';
import { isLastingFault } from '../../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { transitions } from '../message.ts';
import type { MessageList } from '../store/message-list.ts';
import type { MessageStore } from '../store/message-store.ts';
import { firstReview } from './expire-messages.ts';

/** Which messages are being looked through: those sent from `from` until `until`, of the clients after `after`. */
export interface RecoveryProgress {
  readonly from: Date;
  readonly until: Date;
  readonly after?: string | undefined;
  /** Whether that is done, and the next walk begins at `until`. */
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
  /** When the rest is left to the next run. */
  readonly endsAt: Date;
}

interface Recovery {
  /** Messages that were entered in the agenda. */
  readonly entered: number;
  readonly failures: readonly unknown[];
}

/** By then the relay has mostly brought a message to its end, so that few are still open and few are entered twice. */
const ageSeconds = 1200;
/** Each walk asks every client's list, so there are few. */
const pauseSeconds = 900;
/** How far back the first walk goes: as long as the stream keeps a change. */
const firstWalkSeconds = 86_400;
const clientsAtOnce = 10;
/** What DynamoDB reads in one call. */
const rowsPerReview = 100;

export async function recoverMessages(dependencies: RecoverDependencies): Promise<Recovery> {
  const failures: unknown[] = [];
  let entered = 0;

  async function recoverOf(clientId: string, { from, until }: RecoveryProgress): Promise<void> {
    const range = { clientId, from: from.toISOString(), before: until.toISOString() };
    const keys = dependencies.list.keys(range, rowsPerReview);
    const ids: string[] = [];
    for (let next = await keys.next(); next.done !== true; next = await keys.next())
      ids.push(next.value.messageId);
    for (const some of chunksOf(ids, rowsPerReview)) {
      const rows = [
        ...(await readRows(dependencies.messages, some, ({ message_id }) => message_id)).values(),
      ];
      // One that cannot be read was set aside when it was changed.
      const open = rows.flatMap((row) =>
        row instanceof Error || transitions[row.status].final ? [] : [row],
      );
      if (open.length > 0) await dependencies.dueItemIndex.add('messages', open.map(firstReview));
      entered += open.length;
    }
  }

  let progress = nextWalk(await dependencies.progress.read(), dependencies.clock());
  while (!progress.done && dependencies.clock() < dependencies.endsAt) {
    const walk = progress;
    const { clientIds, next } = await dependencies.clientIds(walk.after);
    for (const some of chunksOf(clientIds, clientsAtOnce)) {
      const ended = await Promise.allSettled(some.map((clientId) => recoverOf(clientId, walk)));
      for (const end of ended) {
        if (end.status === 'fulfilled') continue;
        // Repeated from the last page on, unless that would fail for ever.
        if (!isLastingFault(end.reason)) throw end.reason;
        failures.push(end.reason);
      }
    }
    progress = { ...walk, after: next, done: next === undefined };
    await dependencies.progress.write(progress);
  }
  return { entered, failures };
}

/** The walk that was broken off, or the next one; one that is done where it is too early for that. */
function nextWalk(known: RecoveryProgress | undefined, now: Date): RecoveryProgress {
  if (known !== undefined && !known.done) return known;
  const from = known?.until ?? addSeconds(now, -firstWalkSeconds);
  const until = addSeconds(now, -ageSeconds);
  return { from, until, done: until < addSeconds(from, pauseSeconds) };
}
