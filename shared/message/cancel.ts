/** Cancels a scheduled message, unless its time has come first: one conditional write decides. */
import { type Operation, requireCaller } from '../api.ts';
import { GatewayError } from '../errors.ts';
import { ownMessage } from './get-status.ts';
import type { MessageStore } from './message-store.ts';
import { statusView } from './message-view.ts';

export function cancelMessage(messages: Pick<MessageStore, 'get' | 'transition'>): Operation {
  return async (request) => {
    const message = await ownMessage(messages, requireCaller(request), request.pathParameters.message_id);
    if (message.status === 'canceled') return { status: 200, body: statusView(message) };
    const canceled = await messages.transition(message.message_id, { to: 'canceled', at: request.now });
    if (canceled === undefined) {
      throw new GatewayError(
        'not_cancelable',
        'Only a scheduled message can be canceled, before its time has come.',
      );
    }
    return { status: 200, body: statusView(canceled) };
  };
}
