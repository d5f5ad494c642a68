/**
 * Lists the messages (with one-time passwords) that a client sent with test keys and the simulator accepted (contract,
 * section 17).
 */
import * as z from 'zod/mini';
import { GatewayError } from '../../contract/errors.ts';
import { modeOf } from '../../contract/mode.ts';
import { personInQuery } from '../../contract/phone-number.ts';
import type { testOutbox } from '../../message/message-response.schema.ts';
import { optional } from '../../operation/fields.ts';
import { defaultPageLimit, opaqueCursor, pageLimit } from '../../operation/list-query.ts';
import { type Operation, parseQuery, requireCaller } from '../../operation/operation.ts';
import { addDays, dayOf } from '../../platform/clock.ts';
import { type Outbox, testOutboxDays } from './outbox.dynamo.ts';

export const testOutboxQuery = z.object({
  to: optional(personInQuery),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

/** The time, the message, the attempt and the id of the hand-over. */
export const outboxCursor = opaqueCursor(/^\d{4}-\d\d-\d\dT[\d:.]+Z#[^#]+#\d+#/);

/** Lists the newest first. @throws GatewayError `forbidden` for a live key, which only sends real messages */
export function listTestOutbox(outbox: Outbox): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    if (modeOf(clientId) === 'live')
      throw new GatewayError(
        'forbidden',
        'The test outbox shows messages of test keys. Use a test key of this client.',
      );
    const { to, limit = defaultPageLimit, cursor } = parseQuery(testOutboxQuery, request);
    const { now } = request;
    const since = addDays(now, -testOutboxDays);
    const before = outboxCursor.decode(cursor);
    const wanted = to === undefined ? { days: [dayOf(now), dayOf(since)] } : { to };
    const { entries, next } = await outbox.page(wanted, { clientId, since, limit, before });
    const body: z.output<typeof testOutbox> = {
      messages: entries.map(({ from, ...entry }) => ({ ...entry, from: from ?? null })),
      ...outboxCursor.next(next),
    };
    return { status: 200, body };
  };
}
