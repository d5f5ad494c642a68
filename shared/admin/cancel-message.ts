/** An administrator cancels a scheduled message of a client before its time. */

import { recordActivity } from '../activity/activity-log.ts';
import { GatewayError, standardError } from '../contract/errors.ts';
import type { Message } from '../message/message.ts';
import { isId } from '../platform/ids.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

interface CanceledMessage {
  readonly message_id: string;
  readonly status: Message['status'];
}

/** @throws GatewayError `not_found`, or `not_cancelable` once the message is due */
export async function cancelScheduledMessage(
  dependencies: AdminDependencies,
  actor: string,
  messageId: string,
): Promise<CanceledMessage> {
  const { messages, clock } = dependencies;
  const message = isId('msg', messageId) ? await messages.get(messageId) : undefined;
  if (message === undefined) throw new GatewayError('not_found', 'There is no such message.');
  if (message.status === 'canceled') return { message_id: messageId, status: message.status };
  if (message.status !== 'scheduled') throw standardError('not_cancelable');
  await recordActivity(dependencies, actor, {
    kind: 'message_canceled',
    summary: `${actor} canceled the scheduled message ${messageId}`,
    clientId: message.client_id,
    messageId,
    before: { status: message.status, scheduled_at: message.scheduled_at },
    after: { status: 'canceled' },
  });
  const canceled =
    (await messages.transition(messageId, { to: 'canceled', at: clock() })) ??
    (await messages.get(messageId));
  if (canceled?.status !== 'canceled') throw standardError('not_cancelable');
  return { message_id: messageId, status: canceled.status };
}
