/**
 * Adds messages that the relay missed to the due-item index, from which they are dispatched or expired. The relay
 * adds messages too, but depends on the stream; this scan does not. It reads the lists of all clients by time of
 * sending, each message once, and adds those that are not final.
 *
 * If stream records have failed until their last retry, a scan reads back to the oldest message that they may have
 * been about. It leaves the events of that time to the sweep of webhooks, which sends those without a delivery.
 * Deliveries are looked up only in this case: otherwise each message would cost one more read.
 *
 * A client with many messages is read in parts that alternate with other clients, so that none of them waits until
 * its end. The position in each list is stored, so that the next run continues one that ended or was killed.
 */
import type { ClientIdPage } from '../client/client-store.dynamo.ts';
import { scheduledAhead, validityMaxSeconds } from '../message/send/send-fields.ts';
import type { ListedKey, MessageList } from '../message/store/message-list.dynamo.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import { isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock, earlierOf } from '../platform/clock.ts';
import { chunksOf } from '../platform/long-lists.ts';
import type { DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import { readRows, rowsPerReview } from '../recovery/process-due-items.ts';
import { clockAheadSeconds, leaveToReview, spanOf, type TimeRange } from './expire-messages.ts';
import type { LostRecords } from './lost-records.sqs.ts';

/**
 * The progress of the scan: of the messages sent from `from` until `until`, those of the clients after `after`
 * remain.
 */
export interface ScanProgress {
  readonly from: Date;
  readonly until: Date;
  /** All clients up to this one are complete. */
  readonly after?: string | undefined;
  /** The clients up to `next`, or all if it is absent, are complete except these. */
  readonly open?: OpenClients | undefined;
  /** True if the scan is complete. The next one begins at `until`. */
  readonly done: boolean;
  /** The scan also leaves the events of this time to the sweep. */
  readonly events?: TimeRange | undefined;
  /** The time of lost records for which no scan has begun yet. */
  readonly lost?: TimeRange | undefined;
}

interface OpenClients {
  readonly next?: string | undefined;
  /** The list position from which each client is read on, towards older messages. */
  readonly before: Readonly<Record<string, string>>;
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
  readonly lostRecords: LostRecords;
  readonly clock: Clock;
  readonly endsAt: Date;
}

/** Most messages are final by then, so few are added twice. */
const scannedAfterSeconds = 1200;
/** The pause between two scans, because each queries the list of every client. */
const pauseSeconds = 900;
/** How far back the first scan goes: the retention of the stream. */
const firstScanSeconds = 86_400;
/**
 * How much older than its lost change a message may be: it was scheduled, and is final after the longest validity period and a day
 * for late receipts. That is nearly all that is stored, but records are lost only after hours of failures.
 */
const olderThanChangeSeconds = scheduledAhead.daysMax * 86_400 + validityMaxSeconds + 86_400;
const clientsAtOnce = 10;
/** Messages of one client that are read before it is the turn of others. */
const messagesPerTurn = 1000;
/**
 * The number of failed turns after which the run ends: the tables are not available, and the stored position stays
 * small.
 */
const failedMax = 50;
/** How much work is repeated if a run is killed. */
const writeProgressSeconds = 5;

export async function addMissedMessages(dependencies: AddMissedDependencies) {
  const { progress, clock, endsAt } = dependencies;
  const failures: unknown[] = [];
  let added = 0;

  const stored = await progress.read();
  const startedAt = clock();
  // The queue of lost records is read as often as a scan begins, not every minute.
  if (nextScan(stored, startedAt).done) return { added, failures };
  const noted = await noteLostRecords(dependencies, stored).catch((error: unknown) => {
    failures.push(error);
    return stored;
  });
  const known = nextScan(noted, startedAt);
  const { from, until, events, lost } = known;
  let { after } = known;
  let next = known.open === undefined ? after : known.open.next;
  let pagesLeft = known.open === undefined || next !== undefined;
  const open = new Map(Object.entries(known.open?.before ?? {}));
  /** Their turn failed: the next run repeats it. */
  const failed = new Set<string>();
  let writtenAt = clock();

  /** Reads the client's list on; returns the position for the next turn, undefined at the end of the list. */
  async function takeTurn(clientId: string, before: string): Promise<string | undefined> {
    // Nothing is due for an inbound message but its event.
    const direction = events === undefined ? 'outbound' : 'all';
    const range = { clientId, direction, from: from.toISOString(), before } as const;
    let position = before;
    let read = 0;
    for await (const keys of chunksFrom(dependencies.list.keys(range, rowsPerReview))) {
      await addOpen(keys.map(({ messageId }) => messageId));
      position = keys.at(-1)?.position ?? position;
      read += keys.length;
      if (read >= messagesPerTurn || clock() >= endsAt) return position;
    }
    return undefined;
  }

  async function addOpen(ids: readonly string[]): Promise<void> {
    const rows = await readRows(dependencies.messages, ids, ({ message_id }) => message_id);
    const readable = [...rows.values()].flatMap((row) => {
      if (!(row instanceof Error)) return [row];
      // A row with invalid fields was set aside by the relay.
      if (isPermanentFault(row)) return [];
      throw row;
    });
    added += await leaveToReview(dependencies, readable, events);
  }

  async function turnOf(clientId: string, before: string): Promise<void> {
    try {
      const position = await takeTurn(clientId, before);
      if (position === undefined) open.delete(clientId);
      else open.set(clientId, position);
    } catch (error) {
      failures.push(error);
      // The next run repeats this turn, unless it would always fail.
      if (isPermanentFault(error)) open.delete(clientId);
      else failed.add(clientId);
    }
  }

  async function writeProgress(): Promise<void> {
    if (open.size === 0) after = next;
    const done = open.size === 0 && !pagesLeft;
    const rest = open.size === 0 ? undefined : { next, before: Object.fromEntries(open) };
    await progress.write({ from, until, after, open: rest, done, events, lost });
    writtenAt = clock();
  }

  while (clock() < endsAt && failed.size < failedMax) {
    const waiting = [...open].filter(([clientId]) => !failed.has(clientId));
    // New clients do not wait for clients with many messages.
    if (pagesLeft && waiting.length < clientsAtOnce) {
      if (open.size === 0) after = next;
      const page = await dependencies.clientIds(next);
      for (const clientId of page.clientIds) open.set(clientId, until.toISOString());
      next = page.next;
      pagesLeft = next !== undefined;
      continue;
    }
    if (waiting.length === 0) break;
    for (const some of chunksOf(waiting, clientsAtOnce)) {
      if (clock() >= endsAt) break;
      await Promise.all(some.map(([clientId, before]) => turnOf(clientId, before)));
      if (clock() >= addSeconds(writtenAt, writeProgressSeconds)) await writeProgress();
    }
  }
  await writeProgress();
  return { added, failures };
}

async function* chunksFrom(keys: AsyncIterable<ListedKey>): AsyncGenerator<readonly ListedKey[]> {
  let chunk: ListedKey[] = [];
  for await (const key of keys) {
    chunk.push(key);
    if (chunk.length < rowsPerReview) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Writes into the progress when records were lost, before they are handed on: a crash between the two repeats it. */
async function noteLostRecords(
  { progress, lostRecords, clock }: AddMissedDependencies,
  known: ScanProgress | undefined,
): Promise<ScanProgress | undefined> {
  const arrived = await lostRecords.arrived();
  if (arrived === undefined) return known;
  const neverScanned = addSeconds(clock(), -firstScanSeconds);
  const last = known ?? { from: neverScanned, until: neverScanned, done: true };
  const noted = { ...last, lost: last.lost === undefined ? arrived : spanOf([last.lost, arrived]) };
  await progress.write(noted);
  await lostRecords.handOn();
  return noted;
}

/** Returns the interrupted scan, else the next one. If it is too early for the next one, the scan is `done` at once. */
function nextScan(known: ScanProgress | undefined, now: Date): ScanProgress {
  if (known !== undefined && !known.done) return known;
  const from = known?.until ?? addSeconds(now, -firstScanSeconds);
  const until = addSeconds(now, -scannedAfterSeconds);
  // If records were lost a short time ago, the next scan reads the newest messages that they may have been about.
  if (known?.lost !== undefined && addSeconds(new Date(known.lost.until), clockAheadSeconds) < until) {
    const oldestMessage = addSeconds(new Date(known.lost.since), -olderThanChangeSeconds);
    return { from: earlierOf(from, oldestMessage), until, done: false, events: known.lost };
  }
  return { from, until, done: until < addSeconds(from, pauseSeconds), lost: known?.lost };
}
