/** The activity log: changes and failures that an operator can look up later. */

import * as z from 'zod/mini';
import { type ActivityKind, activityKinds } from '../contract/activity-kinds.ts';
import type { Mode } from '../contract/mode.ts';
import { lazily } from '../platform/expiring-cache.ts';

export const activitySchema = lazily(() => {
  /** The fields that changed, with their values before or after; never a secret or a hash. */
  const state = z.record(z.string(), z.unknown());
  return z.readonly(
    z.object({
      /** `act_` and a ULID of its time, so entries sort by time. */
      entry_id: z.string(),
      kind: z.enum(activityKinds),
      at: z.iso.datetime(),
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
});

export type Activity = z.output<ReturnType<typeof activitySchema>>;

export interface ActivityQuery {
  /** Only entries about data of this mode; entries without a client are `live`. If absent, all entries. */
  readonly mode?: Mode | undefined;
  readonly clientId?: string | undefined;
  readonly kind?: ActivityKind | readonly ActivityKind[] | undefined;
  /** The operator or client who did it. Undefined for the gateway's own entries, which include all spread kinds. */
  readonly actor?: string | undefined;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ActivityPage {
  /** Newest first. */
  readonly entries: readonly Activity[];
  /** Present if there may be more. */
  readonly nextCursor?: string;
}
