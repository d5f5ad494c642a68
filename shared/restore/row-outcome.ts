/** What was found of a row of a restore or done with it, and what the operator decides about such rows. */
import type { MessageGroup } from './judge-message.ts';

/** What the operator decided; a group without rows needs no decision. */
export interface Decisions {
  /** Messages of which nothing proves whether they were handed over. */
  readonly unknownMessages?: 'send' | 'fail' | undefined;
  /** Webhooks of which nothing proves whether they were acknowledged. */
  readonly unknownWebhooks?: 'send' | 'fail' | undefined;
  /** Rows that the Activity Log says were deleted after the time. */
  readonly deletedRows?: 'restore' | 'leave' | undefined;
  /** Whether rows of settings that exist and differ are put back. */
  readonly replace?: boolean | undefined;
}

/** What was found of a row, or done with it. */
export type RowOutcome =
  | { readonly kind: 'kept'; readonly differs: boolean }
  | { readonly kind: 'purged' | 'restored' | 'replaced' }
  | { readonly kind: 'deleted'; readonly key: string }
  | { readonly kind: 'webhook'; readonly key: string }
  | { readonly kind: 'message'; readonly key: string; readonly group: MessageGroup; readonly legs: boolean };
