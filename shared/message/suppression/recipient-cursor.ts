/** The cursor of a list by number: base64url, so that clients treat it as opaque. */
import { GatewayError } from '../../contract/errors.ts';

/** A short code, or E.164. */
const form = /^\+?[0-9]{1,15}$/;

export function encodeRecipientCursor(recipient: string): string {
  return Buffer.from(recipient).toString('base64url');
}

/** @throws GatewayError `invalid_request` where `encodeRecipientCursor` did not make it. */
export function decodeRecipientCursor(cursor: string): string {
  const recipient = Buffer.from(cursor, 'base64url').toString();
  if (form.test(recipient) && encodeRecipientCursor(recipient) === cursor) return recipient;
  throw new GatewayError('invalid_request', 'The cursor is not valid.', {
    details: [{ field: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  });
}
