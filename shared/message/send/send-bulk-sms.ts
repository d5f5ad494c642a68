/**
 * Sends one SMS to each of up to 1,000 recipients; answers 202 when every accepted message is stored.
 *
 *   slots of a sender with a pace ─ crash → they are unused
 *   batch row, a conditional write ─ crash → a repeat with the same key finds it `storing`
 *   messages, 100 in a write, each only if its id, derived from the batch, is free ─ crash, throttled → a repeat
 *     stores the missing ones, once the first request must have ended
 *   batch row `stored` ─ crash → a repeat finds nothing missing
 */

import * as z from 'zod/mini';
import { assertMaySendFrom, permissionsOf } from '../../client/permission.ts';
import { standardError } from '../../contract/errors.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Operation,
  requireCaller,
} from '../../operation/operation.ts';
import { optional } from '../../operation/request-fields.ts';
import { addSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import type { SelectSender } from '../../sender/select-sender.ts';
import type { Message } from '../message.ts';
import type { AcceptedBatch } from '../message-response.schema.ts';
import { acceptedView } from '../message-response.ts';
import { reserveBulkSlots } from '../pace/reserve-bulk-slots.ts';
import type { SenderPace } from '../pace/sender-pace.ts';
import { acceptedIndexes, type Batch, type BatchStore, batchMessageId, type RowErrorCode } from './batch.ts';
import {
  type BulkRow,
  bulkRecipients,
  type CheckedRows,
  checkRows,
  meaningOfRow,
  noteUnknownRowFields,
  readRow,
} from './bulk-rows.ts';
import { dryRunOfBatch, isDryRun, refusalsOf } from './dry-run.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import type { SendDependencies } from './send-dependencies.ts';
import { endOfValidity, parseSend } from './send-fields.ts';
import { newSms, smsOptions } from './send-sms.ts';

/** Longer than the function's time limit: after it, the request that stores the batch must have ended. */
const storingLeaseSeconds = 60;

interface SendBulkDependencies extends SendDependencies {
  readonly batches: BatchStore;
  readonly pace: Pick<SenderPace, 'reserve'>;
}

/** The request body of `POST /api/v1/sms/bulk` (contract, section 5); rows are checked one by one. */
export function sendBulkSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    message: optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000))),
    recipients: bulkRecipients,
    ...smsOptions(webhookUrl),
  });
}

type SendBulkRequest = z.output<ReturnType<typeof sendBulkSchema>>;

export function sendBulkSms(dependencies: SendBulkDependencies): Operation {
  const schema = sendBulkSchema(dependencies.webhookUrl);
  return async (request) => {
    const { clientId, client } = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data: bulk, assertTimely } = parseSend(schema, request);
    noteUnknownRowFields(request.unknownFields, bulk.recipients);
    const rows = bulk.recipients.map(readRow);
    const keyed = {
      prefix: 'bat',
      endpoint: 'sms/bulk',
      clientId,
      key,
      meaning: () => ({ ...bulk, recipients: rows.map(meaningOfRow) }),
    } as const;
    const [allowance, select] = await Promise.all([
      dependencies.allowanceOf(clientId, request),
      dependencies.sendersOf(clientId),
    ]);
    const permissions = permissionsOf(client, dependencies.stageCountries);
    const assertAllowed = (): void => assertMaySendFrom(permissions, 'sms', bulk.from);
    if (isDryRun(request)) {
      assertTimely();
      const checked = checkRows(rows, bulk, permissions);
      const batch = newBatch({ batchId: newId('bat', request.now), clientId }, bulk, checked, request);
      const wouldSend = messagesOf(batch, bulk, rows, select);
      const refusals = await refusalsOf(dependencies.batches, request, keyed, [
        assertAllowed,
        () => assertSome(checked),
        () => allowance?.check(wouldSend.map(({ message }) => message)),
      ]);
      return dryRunOfBatch(batch, wouldSend, dependencies, refusals);
    }
    let newRows: readonly AcceptedRow[] = [];
    const { entry: batch, replayed } = await createOnce(dependencies.batches, request, {
      ...keyed,
      allowance,
      build: async (batchId) => {
        assertTimely();
        assertAllowed();
        const checked = checkRows(rows, bulk, permissions);
        assertSome(checked);
        const batch = newBatch({ batchId, clientId }, bulk, checked, request);
        const unpaced = messagesOf(batch, bulk, rows, select);
        await allowance?.take(unpaced.map(({ message }) => message));
        const { messages, expectedEndAt } = await reserveBulkSlots(
          dependencies.pace,
          unpaced.map(({ message }) => message),
        );
        newRows = unpaced.map((row, position) => ({ ...row, message: messages[position] ?? row.message }));
        return { ...batch, ...withoutUndefined({ expected_end_at: expectedEndAt?.toISOString() }) };
      },
    });
    const acceptedRows = replayed ? messagesOf(batch, bulk, rows, select) : newRows;
    const messages = acceptedRows.map(({ message }) => message);
    if (!replayed) await dependencies.messages.createMany(messages);
    else if (batch.state === 'storing') await finishStoring(dependencies, batch, messages, request);
    if (batch.state === 'storing') await dependencies.batches.markStored(batch.batch_id);
    return acceptedResponse(batch, acceptedRows, replayed);
  };
}

/** Completes the batch of a request that died. */
async function finishStoring(
  dependencies: SendBulkDependencies,
  batch: Batch,
  messages: readonly Message[],
  { now, workId }: Pick<ApiRequest, 'now' | 'workId'>,
): Promise<void> {
  const dead = batch.storing_until <= now.toISOString();
  const by = { stored_by: workId, storing_until: addSeconds(now, storingLeaseSeconds).toISOString() };
  if (!dead || !(await dependencies.batches.takeOver(batch.batch_id, batch, by))) {
    throw standardError('idempotency_in_progress');
  }
  await dependencies.messages.createMany(messages);
}

function newBatch(
  { batchId, clientId }: { readonly batchId: string; readonly clientId: string },
  bulk: SendBulkRequest,
  rows: CheckedRows,
  { now, workId }: Pick<ApiRequest, 'now' | 'workId'>,
): Batch {
  return {
    batch_id: batchId,
    client_id: clientId,
    state: 'storing',
    storing_until: addSeconds(now, storingLeaseSeconds).toISOString(),
    total: bulk.recipients.length,
    accepted: rows.good.length,
    errors: [...rows.errors],
    created_at: now.toISOString(),
    expires_at: endOfValidity(bulk, now).toISOString(),
    stored_by: workId,
  };
}

interface AcceptedRow {
  readonly index: number;
  readonly message: Message;
}

/** The messages of the batch, with the times of the request that created it: the same in a repeat. */
function messagesOf(
  batch: Batch,
  bulk: SendBulkRequest,
  rows: readonly BulkRow[],
  select: SelectSender,
): AcceptedRow[] {
  const createdAt = new Date(batch.created_at);
  const taken = new Set(acceptedIndexes(batch));
  // Permissions were checked when the batch was created; its errors have the result.
  return checkRows(rows, bulk, {})
    .good.filter(({ index }) => taken.has(index))
    .map(({ index, to, text, reference }) => ({
      index,
      message: {
        ...newSms(
          { messageId: batchMessageId(batch.batch_id, index), clientId: batch.client_id, select },
          { ...bulk, to, message: text, reference },
          createdAt,
        ),
        batch_id: batch.batch_id,
      },
    }));
}

function acceptedResponse(batch: Batch, rows: readonly AcceptedRow[], replayed: boolean): ApiResponse {
  const { batch_id, total, accepted: acceptedRows, errors } = batch;
  const body: AcceptedBatch = {
    batch_id,
    status: 'accepted',
    total,
    accepted: acceptedRows,
    rejected: errors.length,
    ...withoutUndefined({ expected_end_at: batch.expected_end_at }),
    messages: rows.map(rowView),
    errors,
  };
  return accepted(body, replayed, { batch_id, accepted: acceptedRows, rejected: errors.length });
}

function rowView({ index, message }: AcceptedRow): AcceptedBatch['messages'][number] {
  const view = acceptedView(message);
  if (view.channel !== 'sms') throw new Error(`${view.message_id} is not an SMS`);
  const { message_id, recipient, status, segments, reference } = view;
  return { index, message_id, recipient, status, segments, reference };
}

/** @throws GatewayError where every row is refused. */
function assertSome(rows: CheckedRows): void {
  if (rows.good.length > 0) return;
  throw standardError('no_valid_recipients', {
    details: rows.errors.map((error) => ({
      field: `recipients[${error.index}]${faultyField[error.error]}`,
      message: error.message,
    })),
  });
}

const faultyField: Readonly<Record<RowErrorCode, string>> = {
  invalid_recipient: '.to',
  duplicate_recipient: '.to',
  forbidden: '.to',
  invalid_row: '',
  missing_variable: '.variables',
  message_too_long: '.message',
  missing_message: '.message',
};
