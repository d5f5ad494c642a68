/**
 * Shows a client one of its messages or batches, and cancels a scheduled one. Another client's message gets 404, as if it
 * did not exist.
 */

import type * as z from 'zod/mini';
import { standardError } from '../contract/errors.ts';
import { modeField } from '../contract/mode.ts';
import { type Operation, requireCaller } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import { showLegs } from './dispatch/fallback.ts';
import { expectedEndOf } from './dispatch/paced-message.ts';
import { type Message, type Status, statuses } from './message.ts';
import type { batchStatus } from './message-response.schema.ts';
import { statusView } from './message-response.ts';
import { acceptedIndexes, type Batch, batchMessageId, findBatch } from './store/batches.dynamo.ts';
import { transitionMessage } from './store/message-changes.dynamo.ts';
import { readMessage, readMessages } from './store/messages.dynamo.ts';
import { windowEnd, windowOpenedAt } from './store/whatsapp-window.dynamo.ts';

/** `GET /api/v1/sms/status/{message_id}`: shows a message of any channel, or a batch. */
export function getStatus(
  ctx: Context<'MESSAGES_TABLE' | 'WHATSAPP_WINDOWS_TABLE' | 'BATCHES_TABLE'>,
): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const id = request.pathParameters.message_id;
    if (id !== undefined && isId('bat', id)) {
      const batch = await findBatch(ctx, id);
      if (batch?.client_id !== clientId) throw standardError('not_found');
      return { status: 200, body: batchView(batch, await messagesOf(ctx, batch), request.now) };
    }
    const message = await ownMessage(ctx, clientId, id);
    const [window, legs] = await Promise.all([
      message.channel === 'whatsapp' ? windowOf(ctx, message, request.now) : {},
      message.fallback === undefined || message.fallback_of !== undefined
        ? undefined
        : showLegs(ctx, message),
    ]);
    const fallback = { fallback: legs?.following };
    return { status: 200, body: { ...statusView(message), ...window, ...fallback } };
  };
}

async function windowOf(
  ctx: Context<'WHATSAPP_WINDOWS_TABLE'>,
  { client_id, recipient }: Message,
  now: Date,
) {
  const end = windowEnd(await windowOpenedAt(ctx, client_id, recipient), now);
  return { window_expires_at: end?.toISOString() ?? null };
}

function messagesOf(ctx: Context<'MESSAGES_TABLE'>, batch: Batch): Promise<readonly Message[]> {
  return readMessages(
    ctx,
    acceptedIndexes(batch).map((index) => batchMessageId(batch.batch_id, index)),
  );
}

/** @param rows - the accepted messages */
function batchView(batch: Batch, rows: readonly Message[], now: Date): z.output<typeof batchStatus> {
  const counts: Partial<Record<Status, number>> = {};
  for (const status of statuses) {
    const count = rows.filter((row) => row.status === status).length;
    if (count > 0) counts[status] = count;
  }
  const { batch_id, client_id, total, accepted, errors, created_at } = batch;
  return {
    batch_id,
    ...modeField(client_id),
    total,
    accepted,
    rejected: errors.length,
    counts,
    expected_end_at: expectedEndOf(rows, now)?.toISOString(),
    created_at,
  };
}

/** @throws GatewayError `not_found` if the message belongs to another client. */
export async function ownMessage(
  ctx: Context<'MESSAGES_TABLE'>,
  clientId: string,
  messageId = '',
): Promise<Message> {
  const message = isId('msg', messageId) ? await readMessage(ctx, messageId) : undefined;
  if (message?.client_id !== clientId) throw standardError('not_found');
  return message;
}

/** Cancels a scheduled message before it is due, with one conditional write. */
export function cancelMessage(ctx: Context<'MESSAGES_TABLE'>): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const message = await ownMessage(ctx, clientId, request.pathParameters.message_id);
    const canceled =
      (await transitionMessage(ctx, message.message_id, { to: 'canceled', at: request.now })) ??
      // The message was canceled earlier, or by this write if the SDK repeated it after a lost response.
      (await ownMessage(ctx, clientId, message.message_id));
    if (canceled.status === 'canceled') return { status: 200, body: statusView(canceled) };
    throw standardError('not_cancelable');
  };
}
