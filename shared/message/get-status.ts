/** Shows a client one of its own messages; another client's is as unknown as one that never was. */
import { type Operation, requireCaller } from '../api.ts';
import { GatewayError } from '../errors.ts';
import { isId } from '../ids.ts';
import type { MessageStore } from './message-store.ts';
import { statusView } from './message-view.ts';

export function getStatus(messages: Pick<MessageStore, 'get'>): Operation {
  return async (request) => {
    const caller = requireCaller(request);
    const messageId = request.pathParameters.message_id ?? '';
    const message = isId('msg', messageId) ? await messages.get(messageId) : undefined;
    if (message === undefined || message.client_id !== caller.clientId) {
      throw new GatewayError('not_found', 'There is no such message.');
    }
    return { status: 200, body: statusView(message) };
  };
}
