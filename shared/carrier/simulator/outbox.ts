/** The messages that the simulator accepted, with their bodies, for developers to read. */
import * as z from 'zod/mini';
import { channels } from '../../contract/channels.ts';

export const outboxEntry = z.object({
  message_id: z.string(),
  channel: z.enum(channels),
  to: z.string(),
  from: z.optional(z.string()),
  body: z.string(),
  /** ISO 8601 UTC. */
  at: z.string(),
});

export type OutboxEntry = z.output<typeof outboxEntry>;

export interface Outbox {
  /** Writes one row for each hand-over, so that a second hand-over of a message is visible. */
  record(entry: OutboxEntry, attempt: number, carrierMessageId: string): Promise<void>;
  /** Newest first; of one recipient, or of all in the days that `days` names, newest day first. */
  list(
    of: { readonly to: string } | { readonly days: readonly string[] },
    limit: number,
  ): Promise<OutboxEntry[]>;
}
