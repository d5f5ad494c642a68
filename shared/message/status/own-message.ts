/** Reads a message of the caller. */
import { standardError } from '../../contract/errors.ts';
import type { Caller } from '../../operation/operation.ts';
import { isId } from '../../platform/ids.ts';
import type { Message } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';

/** @throws GatewayError `not_found` where the caller does not have this message. */
export async function ownMessage(
  messages: Pick<MessageStore, 'get'>,
  caller: Caller,
  messageId: string | undefined,
): Promise<Message> {
  const message =
    messageId !== undefined && isId('msg', messageId) ? await messages.get(messageId) : undefined;
  if (message === undefined || message.client_id !== caller.clientId) {
    throw standardError('not_found');
  }
  return message;
}
