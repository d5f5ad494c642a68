/** OpenAPI links: the operations that take an id of a response. */
import type { Link } from '../description.ts';

export const toStatus: Link = {
  operationId: 'getMessageStatus',
  parameters: { message_id: '$response.body#/message_id' },
  description: 'The status of the message.',
};

export const toBatchStatus: Link = {
  operationId: 'getMessageStatus',
  parameters: { message_id: '$response.body#/batch_id' },
  description: 'The statuses of the batch’s messages.',
};

export const toCancel: Link = {
  operationId: 'cancelMessage',
  parameters: { message_id: '$response.body#/message_id' },
  description: 'Cancels the message if it is scheduled.',
};

export function toNextPage(operationId: Link['operationId']): Link {
  return {
    operationId,
    parameters: { cursor: '$response.body#/next_cursor' },
    description: 'The next page, if there is one.',
  };
}
