/** How far a restore is, and what a command that is repeated goes on with. */
import type { Clock } from '../platform/clock.ts';
import type { Decisions } from './restore-report.ts';
import type { Item } from './side-tables.dynamo.ts';
import type { Maintenance, RunningWorkers } from './stop-stage.lambda.ts';
import { type RestorableTable, restorableTables } from './table-rows.dynamo.ts';

const restoreSteps = ['stop', 'restore', 'compare', 'copy', 'start', 'clean', 'done'] as const;
export type RestoreStep = (typeof restoreSteps)[number];

export interface RestoreProgress {
  readonly restoreId: string;
  readonly to: string;
  readonly tables: readonly RestorableTable[];
  readonly step: RestoreStep;
  /** What was on before, known before the first of it is turned off. */
  readonly workers?: RunningWorkers | undefined;
  readonly stoppedAt?: string | undefined;
  readonly decisions?: Decisions | undefined;
  /** Where the copy of each segment of a table goes on; null where it is complete. */
  readonly positions?: Readonly<Record<string, Item | null>> | undefined;
}

export interface AskedRestore {
  readonly to: Date;
  readonly tables: readonly RestorableTable[];
  /** Whether to turn all on again without a copy. */
  readonly canceled: boolean;
  /** Whether one that has ended is made again: what it brought back may have been lost again. */
  readonly again: boolean;
}

export function isRestoreOf(
  known: RestoreProgress,
  { to, tables }: Pick<AskedRestore, 'to' | 'tables'>,
): boolean {
  return known.to === to.toISOString() && known.tables.join() === inOrder(tables).join();
}

const inOrder = (tables: readonly RestorableTable[]): readonly RestorableTable[] =>
  restorableTables.filter((table) => tables.includes(table));

const restoreIdAt = (now: Date): string => `restore of ${now.toISOString()}`;

/** The restore that was begun, if it is the one that is asked for. Before the copy another time can be chosen. */
export function begun(known: RestoreProgress | undefined, asked: AskedRestore, now: Date): RestoreProgress {
  if (asked.canceled) {
    if (known !== undefined) return known;
    throw new Error(
      'No restore is under way here. Where its progress is in another folder, give --progress.',
    );
  }
  const fresh: RestoreProgress = {
    restoreId: restoreIdAt(now),
    to: asked.to.toISOString(),
    tables: inOrder(asked.tables),
    step: 'stop',
  };
  if (known === undefined) return fresh;
  const isSame = isRestoreOf(known, asked);
  if (known.step === 'done') return isSame && !asked.again ? known : fresh;
  if (isSame) return known;
  if (known.step !== 'stop' && known.step !== 'restore' && known.step !== 'compare')
    throw new Error(`The restore to ${known.to} is not complete: continue it first.`);
  const { workers, stoppedAt } = known;
  return { ...fresh, workers, stoppedAt, step: known.step === 'stop' ? 'stop' : 'restore' };
}

/** Begins again, with the workers that were on before all this. */
export function stoppedAnew({ to, tables, workers }: RestoreProgress, now: Date): RestoreProgress {
  return { restoreId: restoreIdAt(now), to, tables, workers, positions: undefined, step: 'stop' };
}

/** A restore that is continued, unless another command turned the stage on meanwhile: what was known then has changed. */
export async function stillStopped(
  { maintenance, clock }: { readonly maintenance: Maintenance; readonly clock: Clock },
  progress: RestoreProgress,
): Promise<RestoreProgress> {
  const needsStop = progress.step === 'restore' || progress.step === 'compare' || progress.step === 'copy';
  return !needsStop || (await maintenance.begin()) ? progress : stoppedAnew(progress, clock());
}
