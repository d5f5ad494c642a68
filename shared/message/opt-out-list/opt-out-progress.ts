/** How far the comparison with the carrier's opt-out list is; a run that ends early is continued by the next one. */

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
