/** The cursor of a list: a position, as base64url so that clients treat it as opaque. */
import { GatewayError } from '../../contract/errors.ts';

const positionForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26}$/;

export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** @throws GatewayError `invalid_request` where `encodeCursor` did not make it. */
export function decodeCursor(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  if (positionForm.test(position) && encodeCursor(position) === cursor) return position;
  throw new GatewayError('invalid_request', 'The cursor is not valid.', {
    details: [{ field: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  });
}
