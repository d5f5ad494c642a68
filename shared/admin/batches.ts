/** An administrator's view of a bulk request: how far its messages are, and why some were refused or failed. */
import { GatewayError } from '../contract/errors.ts';
import { messageOfErrorCode } from '../contract/message-error-codes.ts';
import { transitions } from '../message/message.ts';
import { findBatch } from '../message/send/batch-store.dynamo.ts';
import { batchView, messagesOf } from '../message/status-and-cancel.ts';
import { isId } from '../platform/ids.ts';
import type { AdminContext } from './admin-context.ts';

/** @throws GatewayError `not_found` */
export async function showBatch(ctx: AdminContext, batchId: string) {
  const { clock } = ctx;
  const batch = isId('bat', batchId) ? await findBatch(ctx, batchId) : undefined;
  if (batch === undefined) throw new GatewayError('not_found', 'There is no such batch.');
  const rows = await messagesOf(ctx, batch);
  return {
    ...batchView(batch, rows, clock()),
    client_id: batch.client_id,
    /** How many of the accepted messages have their last state. */
    finished: rows.filter(({ status }) => transitions[status].final).length,
    /** The error codes of accepted messages, the most frequent first. */
    failures: countsOf(
      rows.flatMap(({ error_code }) => error_code ?? []),
      messageOfErrorCode,
    ),
    /** Why recipients were refused with the request, the most frequent first. */
    refusals: countsOf(
      batch.errors.map(({ error }) => error),
      (code) => batch.errors.find(({ error }) => error === code)?.message ?? null,
    ),
  };
}

/** Counts equal codes, the most frequent first. A code without a meaning has null. */
function countsOf(codes: readonly string[], meaningOf: (code: string) => string | null) {
  return [...Map.groupBy(codes, (code) => code)]
    .map(([code, group]) => ({ code, meaning: meaningOf(code), messages: group.length }))
    .toSorted((one, other) => other.messages - one.messages);
}
