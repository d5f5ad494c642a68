/** The messages that the simulated carrier accepted. */
import * as z from 'zod/mini';
import type { OutboxEntry } from '../carrier/simulator/outbox.dynamo.ts';
import { GatewayError } from '../contract/errors.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import { recipientSchema } from '../recipient/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

export const outboxQuery = z.object({ to: z.optional(recipientSchema) });

/** `from` is null if the message named no sender. */
export type OutboxMessage = Omit<OutboxEntry, 'from'> & { readonly from: string | null };

/** Newest first. @throws GatewayError `not_found` if the carrier is not the simulator. */
export async function listOutbox(
  { outbox, clock, retentionDays }: Pick<AdminDependencies, 'outbox' | 'clock' | 'retentionDays'>,
  to: string | undefined,
  limit: number,
): Promise<{ readonly messages: readonly OutboxMessage[] }> {
  if (outbox === undefined) {
    throw new GatewayError('not_found', 'This stage has no outbox: its carrier is a real one.');
  }
  if (to !== undefined) return { messages: (await outbox.list({ to }, limit)).map(shown) };
  const now = clock();
  const days = Array.from({ length: retentionDays }, (_day, ago) => dayOf(addDays(now, -ago)));
  return { messages: (await outbox.list({ days }, limit)).map(shown) };
}

function shown({ message_id, channel, to, from, body, at }: OutboxEntry): OutboxMessage {
  return { message_id, channel, to, from: from ?? null, body, at };
}
