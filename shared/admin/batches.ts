/** An administrator's view of a bulk request: how far its messages are, and why some were refused or failed. */
import { GatewayError } from '../contract/errors.ts';
import { messageOfErrorCode } from '../contract/message-error-codes.ts';
import { batchView, messagesOf } from '../message/get-status.ts';
import { transitions } from '../message/message.ts';
import type { BatchStatus } from '../message/message-response.schema.ts';
import { isId } from '../platform/ids.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

interface Failures {
  readonly code: string;
  /** What the code means; null for one of an earlier release. */
  readonly meaning: string | null;
  readonly messages: number;
}

export interface BatchDetails extends BatchStatus {
  readonly client_id: string;
  /** How many of the accepted messages have their last state. */
  readonly finished: number;
  /** The error codes of accepted messages, the most frequent first. */
  readonly failures: readonly Failures[];
  /** Why recipients were refused with the request, the most frequent first. */
  readonly refusals: readonly Failures[];
}

/** @throws GatewayError `not_found` */
export async function showBatch(
  { batches, messages, clock }: Pick<AdminDependencies, 'batches' | 'messages' | 'clock'>,
  batchId: string,
): Promise<BatchDetails> {
  const batch = isId('bat', batchId) ? await batches.get(batchId) : undefined;
  if (batch === undefined) throw new GatewayError('not_found', 'There is no such batch.');
  const rows = await messagesOf(messages, batch);
  return {
    ...batchView(batch, rows, clock()),
    client_id: batch.client_id,
    finished: rows.filter(({ status }) => transitions[status].final).length,
    failures: countsOf(
      rows.flatMap(({ error_code }) => error_code ?? []),
      messageOfErrorCode,
    ),
    refusals: countsOf(
      batch.errors.map(({ error }) => error),
      (code) => batch.errors.find(({ error }) => error === code)?.message ?? null,
    ),
  };
}

function countsOf(codes: readonly string[], meaningOf: (code: string) => string | null): Failures[] {
  return [...Map.groupBy(codes, (code) => code)]
    .map(([code, group]) => ({ code, meaning: meaningOf(code), messages: group.length }))
    .toSorted((one, other) => other.messages - one.messages);
}
