/** The messages that the simulated carrier accepted. */
import * as z from 'zod/mini';
import type { OutboxEntry } from '../carrier/simulator/outbox.dynamo.ts';
import { GatewayError } from '../contract/errors.ts';
import { opaqueCursor } from '../operation/list-query.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import { recipientSchema } from '../sender/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { pageSize, positionCursor } from './request-fields.ts';

export const outboxQuery = z.object({
  to: z.optional(recipientSchema),
  limit: pageSize,
  cursor: positionCursor,
});

/** `from` is null if the message named no sender. */
export type OutboxMessage = Omit<OutboxEntry, 'from'> & { readonly from: string | null };

interface OutboxList {
  readonly messages: readonly OutboxMessage[];
  readonly next_cursor?: string;
}

/** The time, the message, the attempt and the id of the hand-over. */
const outboxCursor = opaqueCursor(/^\d{4}-\d\d-\d\dT[\d:.]+Z#[^#]+#\d+#/);

/** Newest first. @throws GatewayError `not_found` if the carrier is not the simulator. */
export async function listOutbox(
  { outbox, clock, retentionDays }: Pick<AdminDependencies, 'outbox' | 'clock' | 'retentionDays'>,
  { to, limit, cursor }: z.output<typeof outboxQuery>,
): Promise<OutboxList> {
  if (outbox === undefined) {
    throw new GatewayError('not_found', 'This stage has no outbox: its carrier is a real one.');
  }
  const now = clock();
  const days = Array.from({ length: retentionDays }, (_day, ago) => dayOf(addDays(now, -ago)));
  const before = cursor === undefined ? undefined : outboxCursor.decode(cursor);
  const { entries, next } = await outbox.page(to === undefined ? { days } : { to }, { limit, before });
  return {
    messages: entries.map(shown),
    ...(next === undefined ? {} : { next_cursor: outboxCursor.encode(next) }),
  };
}

function shown({ message_id, channel, to, from, body, at }: OutboxEntry): OutboxMessage {
  return { message_id, channel, to, from: from ?? null, body, at };
}
