/** Reads and changes who may not be sent to. */
import type { Changed, Suppression, SuppressionChange } from './suppression.ts';

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

export interface SuppressionPage {
  readonly suppressions: readonly Suppression[];
  /** Present if there may be more. */
  readonly nextAfter?: string;
}
