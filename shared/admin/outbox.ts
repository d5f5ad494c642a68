/** The messages that the simulated carrier accepted: all live ones where it carries them, and a client's test messages. */
import * as z from 'zod/mini';
import { type OutboxEntry, testOutboxDays } from '../carrier/simulator/outbox.dynamo.ts';
import { outboxCursor } from '../carrier/simulator/test-outbox.ts';
import { GatewayError } from '../contract/errors.ts';
import { clientIdIn } from '../contract/mode.ts';
import { requiredField } from '../operation/operation.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import { recipientSchema } from '../sender/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './find-client.ts';
import { keyText, pageSize, positionCursor } from './request-fields.ts';

export const outboxQuery = z.object({
  to: z.optional(recipientSchema),
  /** The client (id or name) whose test messages are wanted. */
  client_id: z.optional(keyText),
  limit: pageSize,
  cursor: positionCursor,
});

/** `from` is null if the message named no sender. */
export type OutboxMessage = Omit<OutboxEntry, 'from'> & { readonly from: string | null };

interface OutboxList {
  readonly messages: readonly OutboxMessage[];
  readonly next_cursor?: string;
}

/**
 * Newest first: the live messages of all clients, or the test messages of one.
 *
 * @throws GatewayError `not_found` for live messages if the carrier is not the simulator.
 */
export async function listOutbox(
  dependencies: Pick<
    AdminDependencies,
    'clients' | 'outbox' | 'isSimulated' | 'clock' | 'retentionDays' | 'mode'
  >,
  { to, client_id, limit, cursor }: z.output<typeof outboxQuery>,
): Promise<OutboxList> {
  const { outbox, isSimulated, clock, retentionDays, mode } = dependencies;
  const clientId = client_id && clientIdIn('test', await clientIdOf(dependencies, client_id));
  if (clientId === undefined && mode === 'test')
    throw new GatewayError('invalid_request', 'Name the client whose test messages are wanted.', {
      details: [{ field: 'client_id', message: requiredField }],
    });
  if (clientId === undefined && !isSimulated) {
    throw new GatewayError(
      'not_found',
      'This stage has an outbox of test messages only, because its carrier is a real one. Name their client.',
    );
  }
  const now = clock();
  const keptDays = clientId === undefined ? retentionDays : testOutboxDays + 1;
  const days = Array.from({ length: keptDays }, (_day, ago) => dayOf(addDays(now, -ago)));
  const since = clientId === undefined ? undefined : addDays(now, -testOutboxDays);
  const before = cursor === undefined ? undefined : outboxCursor.decode(cursor);
  const range = { clientId, since, limit, before };
  const { entries, next } = await outbox.page(to === undefined ? { days } : { to }, range);
  return {
    messages: entries.map(shown),
    ...(next === undefined ? {} : { next_cursor: outboxCursor.encode(next) }),
  };
}

function shown({ message_id, channel, to, from, body, at }: OutboxEntry): OutboxMessage {
  return { message_id, channel, to, from: from ?? null, body, at };
}
