/** Reads a message of a client. */
import { standardError } from '../../contract/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Message } from '../message.ts';
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
