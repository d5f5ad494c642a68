/** OpenAPI links to operations that take an id from a response. */
import type { Link } from '../description.ts';

/**
 * Returns a link to an operation that takes a field of the response as a parameter. The field and the parameter usually have
 * the same name.
 */
export function link(
  operationId: Link['operationId'],
  parameter: string,
  description: string,
  field = parameter,
): Link {
  return { operationId, parameters: { [parameter]: `$response.body#/${field}` }, description };
}

export const toStatus = link('getMessageStatus', 'message_id', 'The status of the message.');
export const toBatchStatus = link(
  'getMessageStatus',
  'message_id',
  'The statuses of the batch’s messages.',
  'batch_id',
);
export const toCancel = link('cancelMessage', 'message_id', 'Cancels the message if it is scheduled.');

export function toNextPage(operationId: Link['operationId']): Link {
  return link(operationId, 'cursor', 'The next page, if there is one.', 'next_cursor');
}
