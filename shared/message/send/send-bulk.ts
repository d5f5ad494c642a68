/**
 * Sends one SMS each to up to 1,000 recipients. Returns 202 after every accepted message is stored.
 *
 *   batch row, a conditional write ─ crash → a repeat with the same key finds it `storing`
 *   line of a sender with a pace, only by the request that stores the messages ─ crash → the line is longer than it is
 *   messages, 100 in a write, each only if its id, derived from the batch, is free ─ crash, throttled → a repeat
 *     stores the missing ones, once the first request must have ended
 *   batch row `stored` ─ crash → a repeat finds nothing missing
 */
import * as z from 'zod/mini';
import { assertChannelsOn, assertMaySendFrom, permissionsOf } from '../../client/sending-permissions.ts';
import { standardError } from '../../contract/errors.ts';
import type { functionUses } from '../../contract/function-uses.ts';
import { capsInForce, checkCaps, takeFromCaps } from '../../limit/client-caps.ts';
import { describeUnknown, optional, unknownIn } from '../../operation/fields.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Operation,
  requireCaller,
} from '../../operation/operation.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { EnvironmentFor } from '../../platform/env.ts';
import { newId } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type SelectSender, sendersOf } from '../../sender/select-sender.ts';
import { lineUp } from '../dispatch/paced-message.ts';
import { joinLine } from '../dispatch/sender-pace.dynamo.ts';
import type { Message } from '../message.ts';
import type { AcceptedBatch } from '../message-response.schema.ts';
import {
  acceptedIndexes,
  type Batch,
  batchMessageId,
  createBatch,
  findBatch,
  markBatchStored,
  type RowErrorCode,
  takeOverBatch,
} from '../store/batches.dynamo.ts';
import { createMessages } from '../store/messages.dynamo.ts';
import {
  type BulkRow,
  bulkRecipients,
  canonicalRow,
  checkRows,
  readRow,
  unknownRowFields,
} from './bulk-recipients.ts';
import { dryRunOfBatch, isDryRun, refusalsOf } from './dry-run.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import { endOfValidity, parseSend } from './send-fields.ts';
import { acceptedView } from './send-one.ts';
import { newSms, smsOptions } from './sms-send.ts';

/** Longer than the function's time limit, so that after this time the request that stores the batch has ended. */
const storingLeaseSeconds = 60;

/** Returns the schema of the body of `POST /api/v1/sms/bulk` (contract 5.2). A later step checks the rows one by one. */
export function sendBulkSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    message: optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000))),
    recipients: bulkRecipients,
    ...smsOptions(webhookUrl),
  });
}

type BulkContext = Context<keyof EnvironmentFor<(typeof functionUses)['send-bulk-sms']>>;

/** @param webhookUrl - accepts URLs that this deployment may call */
export function sendBulkSms(context: BulkContext, webhookUrl: z.ZodMiniType<string>): Operation {
  const schema = sendBulkSchema(webhookUrl);
  const batches = {
    create: (batch: Batch) => createBatch(context, batch),
    get: (batchId: string) => findBatch(context, batchId),
  };
  return async (request) => {
    const { clientId, client } = requireCaller(request);
    const { now } = request;
    const key = idempotencyKeyOf(request.headers);
    const { data: bulk, assertTimely } = parseSend(schema, request);
    const rows = bulk.recipients.map(readRow);
    const keyed = {
      prefix: 'bat',
      endpoint: 'sms/bulk',
      clientId,
      key,
      canonicalRequest: () => ({ ...bulk, recipients: rows.map(canonicalRow) }),
    } as const;
    const [limits, senders] = await Promise.all([
      capsInForce(context, clientId),
      sendersOf(context, clientId),
    ]);
    const capped = { clientId, limits, now };
    const permissions = permissionsOf(context, client, senders);
    const { select } = senders;
    const { smart_encoding = client.smart_encoding } = bulk;
    const assertAllowed = (): void => {
      assertChannelsOn(context, ['sms']);
      assertMaySendFrom(permissions, 'sms', bulk.from);
    };
    if (isDryRun(request)) {
      assertTimely();
      const checked = checkRows(rows, bulk, permissions);
      const batch = newBatch(
        { batchId: newId('bat', now), clientId, smart_encoding },
        bulk,
        checked,
        request,
      );
      const wouldSend = messagesOf(batch, bulk, rows, select);
      const refusals = await refusalsOf(batches, keyed, [
        assertAllowed,
        () => assertSome(checked),
        () =>
          checkCaps(
            context,
            capped,
            wouldSend.map(({ message }) => message),
          ),
      ]);
      const unknown = [...unknownIn(schema, request.body), ...unknownRowFields(bulk.recipients)];
      const unknownFields = describeUnknown(unknown, 'field');
      return dryRunOfBatch(context, batch, wouldSend, { refusals, unknownFields });
    }
    let newRows: readonly AcceptedRow[] = [];
    const { entry, replayed } = await createOnce<Batch>(batches, request, {
      ...keyed,
      looksFirst: true,
      build: async (batchId) => {
        assertTimely();
        assertAllowed();
        const checked = checkRows(rows, bulk, permissions);
        assertSome(checked);
        const batch = newBatch({ batchId, clientId, smart_encoding }, bulk, checked, request);
        newRows = messagesOf(batch, bulk, rows, select);
        const messages = newRows.map(({ message }) => message);
        await takeFromCaps(context, capped, messages);
        return batch;
      },
    });
    const acceptedRows = replayed ? messagesOf(entry, bulk, rows, select) : newRows;
    if (replayed && entry.state === 'storing') await takeOver(context, entry, request);
    const batch = entry.state === 'storing' ? await storeMessages(context, entry, acceptedRows, now) : entry;
    return acceptedResponse(batch, acceptedRows, replayed);
  };
}

/** Stores the messages of the batch. If a message's sender has a pace, the message gets its time in the line. */
async function storeMessages(
  context: BulkContext,
  batch: Batch,
  rows: readonly AcceptedRow[],
  now: Date,
): Promise<Batch> {
  const all = rows.map(({ message }) => message);
  const paced = await lineUp((...line) => joinLine(context, ...line), all, now);
  await createMessages(context, paced.messages);
  const expectedEnd = paced.expectedEndAt?.toISOString();
  const expected_end_at = await markBatchStored(context, batch.batch_id, expectedEnd);
  return { ...batch, ...withoutUndefined({ expected_end_at }) };
}

/** @throws GatewayError `idempotency_in_progress` if the request that stores the batch may still be running */
async function takeOver(context: BulkContext, batch: Batch, { now, workId }: ApiRequest): Promise<void> {
  const dead = batch.storing_until <= now.toISOString();
  const by = { stored_by: workId, storing_until: addSeconds(now, storingLeaseSeconds).toISOString() };
  if (!dead || !(await takeOverBatch(context, batch, by))) {
    throw standardError('idempotency_in_progress');
  }
}

function newBatch(
  {
    batchId,
    clientId,
    smart_encoding,
  }: { readonly batchId: string; readonly clientId: string; readonly smart_encoding: boolean | undefined },
  bulk: z.output<ReturnType<typeof sendBulkSchema>>,
  rows: ReturnType<typeof checkRows>,
  { now, workId }: ApiRequest,
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
    ...(smart_encoding === true ? { smart_encoding } : {}),
  };
}

interface AcceptedRow {
  readonly index: number;
  readonly message: Message;
}

/** Returns the messages of the batch with the times of the first request, so that a repeat gets the same messages. */
function messagesOf(
  batch: Batch,
  bulk: z.output<ReturnType<typeof sendBulkSchema>>,
  rows: readonly BulkRow[],
  select: SelectSender,
): AcceptedRow[] {
  const createdAt = new Date(batch.created_at);
  const taken = new Set(acceptedIndexes(batch));
  // Permissions are not checked again: the batch already contains the errors.
  return checkRows(rows, bulk, undefined)
    .good.filter(({ index }) => taken.has(index))
    .map(({ index, to, text, reference }) => ({
      index,
      message: {
        ...newSms(
          {
            messageId: batchMessageId(batch.batch_id, index),
            clientId: batch.client_id,
            select,
            smart_encoding: batch.smart_encoding,
          },
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
  const { message_id, recipient, status, encoding, segments, ucs2, reference } = view;
  return { index, message_id, recipient, status, encoding, segments, ucs2, reference };
}

/** @throws GatewayError if every row is refused. */
function assertSome(rows: ReturnType<typeof checkRows>): void {
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
