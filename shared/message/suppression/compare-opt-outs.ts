/**
 * Keeps the suppressions and the carrier's own opt-out list in step, in both directions (contract 13.4).
 *
 *   list → suppressions: who is on the list is suppressed for every client that wrote to them, since the time of the list
 *   suppressions → list: whom an administrator lets no client send anything is added; who opted in again is removed
 *
 * The list is of all clients, so only the person's own words and an administrator change it: what a client says has effect
 * for that client.
 *
 * Beside that it keeps suppressions that a person set again in the console from being deleted as ones that ended.
 *
 * It reads the whole list, slowly, because the carrier permits one call a second. It saves its position after each page,
 * so a run that is out of time, or dies, is continued by the next one. Each write is conditional or changes nothing when
 * it is repeated, and the newest change wins, so two runs at once do no harm.
 */

import { modeOf } from '../../contract/mode.ts';
import { addSeconds, type Clock, type Sleep } from '../../platform/clock.ts';
import { jsonIn } from '../../platform/object-fields.ts';
import type { Contacts } from '../store/contacts.dynamo.ts';
import { type Conversations, pagesWith, takenOf } from '../store/conversations.dynamo.ts';
import type { ComparisonProgress, ProgressStore, SuppressionChanges } from './opt-out-comparison.dynamo.ts';
import { isReadable, lastingSources, type RowKey, rowKey, type SuppressionRow } from './suppression.ts';
import type { SuppressionStore } from './suppression-store.dynamo.ts';

export interface CompareDependencies {
  readonly list: OptOutList;
  readonly suppressions: Pick<SuppressionStore, 'get' | 'change' | 'compareAgain'> & SuppressionChanges;
  readonly conversations: Conversations;
  readonly contacts: Pick<Contacts, 'of'>;
  readonly progress: ProgressStore;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** No page is begun after it. */
  readonly budgetMs: number;
}

interface Comparison {
  /** How many suppressions the list began or confirmed. */
  readonly suppressed: number;
  readonly added: number;
  readonly removed: number;
  /** Numbers that the carrier did not add or remove; it is asked for a removal again by each comparison. */
  readonly refused: number;
  /** Whether both sides were read to their end; otherwise the next run continues. */
  readonly complete: boolean;
}

/** AWS permits one `DescribeOptedOutNumbers` a second in an account. */
const pauseMs = 1100;
/** Earlier changes were seen by the run before; the clocks of two services differ by less. */
const overlapSeconds = 3600;
const rowsPerRead = 2000;
/** A run adds a number within this time after it has read the suppression, whatever the clocks of two services differ. */
const additionSeconds = 300;

export async function compareOptOuts(dependencies: CompareDependencies): Promise<Comparison> {
  const { progress, clock, budgetMs } = dependencies;
  const begun = clock();
  const counts = { suppressed: 0, added: 0, removed: 0, refused: 0 };
  const isOver = () => clock().getTime() - begun.getTime() >= budgetMs;
  let now: ComparisonProgress = (await progress.read()) ?? { startedAt: begun, phase: 'list' };
  while (!isOver()) {
    const next =
      now.phase === 'list'
        ? await readList(dependencies, now, counts)
        : await readSuppressions(dependencies, now, counts, { begun, isOver });
    await progress.write(next);
    if (next.phase === 'list' && now.phase === 'suppressions') return { ...counts, complete: true };
    now = next;
  }
  return { ...counts, complete: false };
}

type Counts = { -readonly [Name in keyof Omit<Comparison, 'complete'>]: number };

async function readList(
  dependencies: CompareDependencies,
  progress: ComparisonProgress,
  counts: Counts,
): Promise<ComparisonProgress> {
  const { startedAt, since } = progress;
  const first = { startedAt, since, phase: 'list' } as const;
  try {
    const { optOuts, next } = await dependencies.list.page(progress.position);
    for (const optOut of optOuts.filter(({ at }) => since === undefined || at >= since)) {
      counts.suppressed += await suppressFor(dependencies, optOut);
    }
    await dependencies.sleep(pauseMs);
    return next === undefined ? { startedAt, since, phase: 'suppressions' } : { ...first, position: next };
  } catch (error) {
    if (!(error instanceof OutdatedPosition) || progress.position === undefined) throw error;
    await dependencies.sleep(pauseMs);
    return first;
  }
}

/**
 * The time of what is said by the list. An addition that the person did not ask for may be of a run that died before it saw that
 * the suppression had ended: it is no newer word than that.
 */
function saidAt({ at, byPerson }: ListedOptOut): Date {
  return byPerson ? at : addSeconds(at, -additionSeconds);
}

/**
 * Suppresses the person for every client that wrote to them. A client that writes for the first time learns it from the
 * carrier's refusal.
 */
async function suppressFor(dependencies: CompareDependencies, optOut: ListedOptOut): Promise<number> {
  const { recipient, at } = optOut;
  let changed = 0;
  for (const client_id of await clientsOf(dependencies, recipient)) {
    const { outcome } = await dependencies.suppressions.change({
      client_id,
      recipient,
      scope: 'messages',
      reason: 'The recipient is on the opt-out list of the carrier',
      source: 'carrier',
      at: saidAt(optOut),
      cause: `opt-out list ${at.toISOString()}`,
    });
    if (outcome !== 'outdated') changed += 1;
  }
  return changed;
}

async function readSuppressions(
  dependencies: CompareDependencies,
  { startedAt, since, position }: ComparisonProgress,
  counts: Counts,
  { begun, isOver }: { readonly begun: Date; readonly isOver: () => boolean },
): Promise<ComparisonProgress> {
  const after = position === undefined ? undefined : keyIn(position);
  const { suppressions } = dependencies;
  const { rows, ending, nextAfter } = await suppressions.changedSince(since, rowsPerRead, after);
  for (const row of ending) await suppressions.keep(row);
  const at = ({ client_id, recipient }: RowKey): ComparisonProgress => ({
    startedAt,
    since,
    phase: 'suppressions',
    position: JSON.stringify({ client_id, recipient }),
  });
  for (const row of rows) {
    const { scope, source } = row;
    // The carrier knows nothing of test data.
    if (modeOf(row.client_id) === 'test') continue;
    if (scope === undefined && lastingSources.includes(source))
      await removeFromList(dependencies, row, counts);
    else if (scope === 'all' && source === 'admin') await addToList(dependencies, row, counts);
    if (isOver()) return at(row);
  }
  if (nextAfter !== undefined) return at(nextAfter);
  // The next comparison has what changed while this one ran.
  return { startedAt: begun, since: addSeconds(startedAt, -overlapSeconds), phase: 'list' };
}

/** Undefined, for the first row, where a person made the position invalid. */
function keyIn(position: string): RowKey | undefined {
  return rowKey.safeParse(jsonIn(position)).data;
}

/**
 * Where the person asked for messages again, or an administrator did, after the number came onto the list. The word of the
 * person to one client leaves the number there while the same person, or an administrator, stops another client. What is left
 * there is compared again: the carrier removes a number later that it refuses to remove now, and what stops the other client
 * may end without a word that changes the list.
 */
async function removeFromList(
  dependencies: CompareDependencies,
  ended: SuppressionRow,
  counts: Counts,
): Promise<void> {
  const { list, suppressions, sleep } = dependencies;
  const { client_id, recipient, source, changed_at } = ended;
  const listed = await list.find(recipient);
  await sleep(pauseMs);
  if (listed === undefined || saidAt(listed).toISOString() >= changed_at) return;
  // The row was read with many others, minutes ago; the person may have sent STOP since.
  if ((await suppressions.get(client_id, recipient, { consistent: true })) !== undefined) return;
  if (source === 'keyword' && (await isStoppedForOthers(dependencies, ended)))
    return suppressions.compareAgain(ended);
  const isRemoved = await list.remove(recipient);
  counts[isRemoved ? 'removed' : 'refused'] += 1;
  if (!isRemoved) await suppressions.compareAgain(ended);
}

/** Whether the person, or an administrator, stops another client that wrote to the person. */
async function isStoppedForOthers(
  dependencies: CompareDependencies,
  { client_id, recipient }: RowKey,
): Promise<boolean> {
  const others = [...(await clientsOf(dependencies, recipient))].filter((each) => each !== client_id);
  for (const other of others) {
    const stopped = await dependencies.suppressions.get(other, recipient, { consistent: true });
    if (stopped !== undefined && lastingSources.includes(stopped.source)) return true;
  }
  return false;
}

/**
 * Adds a number only if an administrator suppressed it for every client that wrote to the person, because the carrier
 * then refuses all messages. The administrator may end it meanwhile: a number that was added after that would count as
 * a newer word of the person, and suppress them everywhere.
 */
async function addToList(
  dependencies: CompareDependencies,
  { client_id, recipient }: SuppressionRow,
  counts: Counts,
): Promise<void> {
  const { list, suppressions, sleep } = dependencies;
  const clients = new Set([client_id, ...(await clientsOf(dependencies, recipient))]);
  async function isStoppedForAll(): Promise<boolean> {
    for (const each of clients) {
      const suppression = await suppressions.get(each, recipient, { consistent: true });
      if (suppression?.scope !== 'all' || suppression.source !== 'admin' || !isReadable(suppression))
        return false;
    }
    return true;
  }
  if (!(await isStoppedForAll())) return;
  const listed = await list.find(recipient);
  await sleep(pauseMs);
  if (listed !== undefined || !(await isStoppedForAll())) return;
  const isAdded = await list.add(recipient);
  if (!isAdded || (await isStoppedForAll())) counts[isAdded ? 'added' : 'refused'] += 1;
  else if (!(await list.remove(recipient))) counts.refused += 1;
}

/** The clients of which a carrier took an SMS to that person, from any number, however many messages wait. */
async function clientsOf(
  { contacts, conversations }: CompareDependencies,
  person: string,
): Promise<ReadonlySet<string>> {
  const noted = await contacts.of({ channel: 'sms', person });
  const clients = new Set(noted.map(({ clientId }) => clientId));
  // Messages from names have no contacts.
  for await (const page of pagesWith(conversations, [person])) {
    const sent = page.filter(
      ({ channel, direction, client_id }) =>
        channel === 'sms' && direction === undefined && modeOf(client_id) === 'live',
    );
    for (const { clientId } of sent.flatMap(takenOf)) clients.add(clientId);
  }
  return clients;
}

/** The list of people who opted out that the carrier keeps: it refuses every message to them, whichever client sends it. */
export interface ListedOptOut {
  readonly recipient: string;
  readonly at: Date;
  /** Whether the person asked for it; otherwise somebody added the number. */
  readonly byPerson: boolean;
}

interface OptOutListPage {
  readonly optOuts: readonly ListedOptOut[];
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

export interface OptOutList {
  /** @throws OutdatedPosition where the carrier no longer knows the position. */
  page(after: string | undefined): Promise<OptOutListPage>;
  find(recipient: string): Promise<ListedOptOut | undefined>;
  /** Repeating it changes nothing. @returns false where the carrier refuses this number */
  add(recipient: string): Promise<boolean>;
  /** @returns false where the carrier refuses for now: AWS removes a number once in 30 days */
  remove(recipient: string): Promise<boolean>;
}

export class OutdatedPosition extends Error {
  override readonly name = 'OutdatedPosition';
}
