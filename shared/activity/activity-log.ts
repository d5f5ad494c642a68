/** The activity log: changes and failures that an operator can look up later. */

import * as z from 'zod/mini';
import type { Mode } from '../contract/mode.ts';

import { type ActivityKind, activityKinds } from './activity-kinds.ts';

/** The fields that changed, with their values before or after; never a secret or a hash. */
const state = z.record(z.string(), z.unknown());

export const activitySchema = z.readonly(
  z.object({
    /** `act_` and a ULID of its time, so entries sort by time. */
    entry_id: z.string(),
    kind: z.enum(activityKinds),
    at: z.iso.datetime(),
    /** The summary of the entry in one sentence for a person. */
    summary: z.string(),
    client_id: z.exactOptional(z.string()),
    message_id: z.exactOptional(z.string()),
    delivery_id: z.exactOptional(z.string()),
    /** The administrator or client that did it; absent for the gateway's own entries. */
    actor: z.exactOptional(z.string()),
    before: z.exactOptional(state),
    after: z.exactOptional(state),
  }),
);

export type Activity = z.output<typeof activitySchema>;

export interface ActivityLog {
  /** Writing the same entry again changes nothing. */
  add(entry: Activity): Promise<void>;
}

export interface ActivityQuery {
  /** Only entries about data of this mode; those about no client are `live`. Without it, all. */
  readonly mode?: Mode | undefined;
  readonly clientId?: string | undefined;
  readonly kind?: ActivityKind | readonly ActivityKind[] | undefined;
  /** Who did it. The gateway's own entries, among them all of the spread kinds, are of nobody. */
  readonly actor?: string | undefined;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
  /**
   * The number of rounds of reads after which the page ends, even if it has fewer entries; without it there is no
   * limit.
   */
  readonly readsMax?: number | undefined;
  /** Whether a client's entry of a spread kind is found as soon as it is written. */
  readonly consistent?: boolean | undefined;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ActivityPage {
  /** Newest first. */
  readonly entries: readonly Activity[];
  /** Present if there may be more. */
  readonly nextCursor?: string;
}
