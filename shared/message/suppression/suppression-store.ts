/** Reads and changes who may not be sent to. */
import type { Changed, RowKey, Suppression, SuppressionChange, SuppressionRow } from './suppression.ts';

export interface SuppressionReader {
  /** Eventually consistent: half a read unit. */
  get(clientId: string, recipient: string): Promise<Suppression | undefined>;
}

export interface SuppressionStore extends SuppressionReader {
  change(change: SuppressionChange): Promise<Changed>;
  /**
   * By number, in ascending order.
   *
   * @param after - the recipient that was the last of the page before
   */
  list(clientId: string, limit: number, after: string | undefined): Promise<SuppressionPage>;
}

/** The rows of all clients, also of suppressions that ended, in no order. */
export interface SuppressionChanges {
  /**
   * Reads so many rows and gives those that changed at or after this time; undefined: all.
   *
   * @param after - the key of a row, at which the reading continues
   */
  changedSince(since: Date | undefined, rowsRead: number, after: RowKey | undefined): Promise<ChangedRows>;
}

interface ChangedRows {
  readonly rows: readonly SuppressionRow[];
  /** Present if there may be more. */
  readonly nextAfter?: RowKey;
}

export interface SuppressionPage {
  readonly suppressions: readonly Suppression[];
  /** Present if there may be more. */
  readonly nextAfter?: string;
}
