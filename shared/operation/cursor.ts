/** The cursors of lists: a position, as base64url so that clients treat it as opaque. */
import { GatewayError } from '../contract/errors.ts';

interface OpaqueCursor {
  encode(position: string): string;
  /** @throws GatewayError `invalid_request` where `encode` did not make it of a position in this list. */
  decode(cursor: string): string;
}

/** @param form - of every position in the list */
export function opaqueCursor(form: RegExp): OpaqueCursor {
  const encode = (position: string): string => Buffer.from(position).toString('base64url');
  return {
    encode,
    decode(cursor) {
      const position = Buffer.from(cursor, 'base64url').toString();
      if (form.test(position) && encode(position) === cursor) return position;
      throw new GatewayError('invalid_request', 'The cursor is not valid.', {
        details: [{ field: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
      });
    },
  };
}
