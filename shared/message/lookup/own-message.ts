/** Reads a message of a client. */
import { standardError } from '../../contract/errors.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { isId } from '../../platform/ids.ts';
import type { Message } from '../message.ts';
import { statusView } from '../message-response.ts';
import type { MessageStore } from '../store/message-store.ts';

/** @throws GatewayError `not_found` where the client does not have this message. */
export async function ownMessage(
  messages: Pick<MessageStore, 'get'>,
  clientId: string,
  messageId = '',
): Promise<Message> {
  const message = isId('msg', messageId) ? await messages.get(messageId) : undefined;
  if (message?.client_id !== clientId) throw standardError('not_found');
  return message;
}

/** Cancels a scheduled message before it is due, with one conditional write. */
export function cancelMessage(messages: Pick<MessageStore, 'get' | 'transition'>): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const message = await ownMessage(messages, clientId, request.pathParameters.message_id);
    const canceled =
      (await messages.transition(message.message_id, { to: 'canceled', at: request.now })) ??
      // Canceled before, or by this write, if the SDK repeated it after a lost response.
      (await ownMessage(messages, clientId, message.message_id));
    if (canceled.status === 'canceled') return { status: 200, body: statusView(canceled) };
    throw standardError('not_cancelable');
  };
}
