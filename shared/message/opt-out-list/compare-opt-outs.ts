/**
 * Keeps the suppressions and the carrier's own opt-out list in step, in both directions (contract, section 13).
 *
 *   list → suppressions: who is on the list is suppressed for every client that wrote to them, since the time of the list
 *   suppressions → list: who may be sent nothing by any client is added; who opted in again is removed
 *
 * It reads the whole list, slowly, because the carrier permits one call a second. It saves its position after each page,
 * so a run that is out of time, or dies, is continued by the next one. Each write is conditional or changes nothing when
 * it is repeated, and the newest change wins, so two runs at once do no harm.
 */
import { addSeconds, type Clock, type Sleep } from '../../platform/clock.ts';
import type { Conversations } from '../receive/find-owner.ts';
import { type RowKey, rowKey, type SuppressionRow } from '../suppression/suppression.ts';
import type { SuppressionChanges, SuppressionStore } from '../suppression/suppression-store.ts';
import { type ListedOptOut, type OptOutList, OutdatedPosition } from './opt-out-list.ts';

/** How far the comparison is; a run that ends early is continued by the next one. */
export interface ComparisonProgress {
  readonly startedAt: Date;
  /** Only what changed since then is compared; undefined: everything. */
  readonly since?: Date | undefined;
  readonly phase: 'list' | 'suppressions';
  /** In the list or in the table; undefined at the start of it. */
  readonly position?: string | undefined;
}

export interface ProgressStore {
  read(): Promise<ComparisonProgress | undefined>;
  write(progress: ComparisonProgress): Promise<void>;
}

export interface CompareDependencies {
  readonly list: OptOutList;
  readonly suppressions: Pick<SuppressionStore, 'get' | 'change'> & SuppressionChanges;
  readonly conversations: Conversations;
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
  /** Numbers that the carrier did not add or remove. */
  readonly refused: number;
  /** Whether both sides were read to their end; otherwise the next run continues. */
  readonly complete: boolean;
}

/** AWS permits one `DescribeOptedOutNumbers` a second in an account. */
const pauseMs = 1100;
/** Earlier changes were seen by the run before; the clocks of two services differ by less. */
const overlapSeconds = 3600;
const rowsPerRead = 2000;
/** The clients that wrote to a person are found among so many of the newest messages. */
const consideredMax = 100;

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

/** For every client that wrote to the person. One that writes for the first time learns it from the carrier's refusal. */
async function suppressFor(
  { suppressions, conversations }: CompareDependencies,
  { recipient, at }: ListedOptOut,
): Promise<number> {
  let changed = 0;
  for (const client_id of await clientsOf(conversations, recipient)) {
    const { outcome } = await suppressions.change({
      client_id,
      recipient,
      scope: 'messages',
      reason: 'The recipient is on the opt-out list of the carrier',
      source: 'carrier',
      at,
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
  const after = position === undefined ? undefined : rowKey.parse(JSON.parse(position));
  const { rows, nextAfter } = await dependencies.suppressions.changedSince(since, rowsPerRead, after);
  const at = ({ client_id, recipient }: RowKey): ComparisonProgress => ({
    startedAt,
    since,
    phase: 'suppressions',
    position: JSON.stringify({ client_id, recipient }),
  });
  for (const row of rows) {
    if (row.scope === undefined) await removeFromList(dependencies, row, counts);
    else if (row.scope === 'all') await addToList(dependencies, row, counts);
    if (isOver()) return at(row);
  }
  if (nextAfter !== undefined) return at(nextAfter);
  // The next comparison has what changed while this one ran.
  return { startedAt: begun, since: addSeconds(startedAt, -overlapSeconds), phase: 'list' };
}

/**
 * The list is of all clients. So a number is removed only if the person asked for messages again, or an administrator
 * did; a client may undo what no person asked for.
 */
async function removeFromList(
  { list, sleep }: CompareDependencies,
  { recipient, source, changed_at }: SuppressionRow,
  counts: Counts,
): Promise<void> {
  if (source === 'carrier') return;
  const listed = await list.find(recipient);
  await sleep(pauseMs);
  if (listed === undefined || listed.at.toISOString() >= changed_at) return;
  if (source === 'client' && listed.byPerson) return;
  const isRemoved = await list.remove(recipient);
  counts[isRemoved ? 'removed' : 'refused'] += 1;
}

/** Only if no client may send anything: the carrier would refuse one-time passwords and other clients' messages too. */
async function addToList(
  { list, suppressions, conversations, sleep }: CompareDependencies,
  { client_id, recipient }: SuppressionRow,
  counts: Counts,
): Promise<void> {
  const others = [...(await clientsOf(conversations, recipient))].filter((id) => id !== client_id);
  for (const other of others) {
    if ((await suppressions.get(other, recipient))?.scope !== 'all') return;
  }
  const listed = await list.find(recipient);
  await sleep(pauseMs);
  if (listed !== undefined) return;
  counts[(await list.add(recipient)) ? 'added' : 'refused'] += 1;
}

/** The clients with messages to that person by SMS. */
async function clientsOf(conversations: Conversations, person: string): Promise<ReadonlySet<string>> {
  const messages = await conversations.newestWith(person, consideredMax);
  return new Set(
    messages
      .filter(({ channel, direction }) => channel === 'sms' && direction === undefined)
      .map((message) => message.client_id),
  );
}
