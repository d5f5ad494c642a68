/** Cancels a scheduled message before it is due, with one conditional write. */

import { standardError } from '../../contract/errors.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { statusView } from '../message-response.ts';
import type { MessageStore } from '../store/message-store.ts';
import { ownMessage } from './own-message.ts';

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
