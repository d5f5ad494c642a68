/** The cursor of the delivery log, as base64url so that clients treat it as opaque. */
import { GatewayError } from '../../contract/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Position } from './deliveries-of-messages.ts';

const positionForm =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26})(?:~([1-9]\d{0,2}))?$/;

export function positionCursor({ message, within }: Position): string {
  return encode(within === undefined ? message : `${message}~${within}`);
}

/** @throws GatewayError `invalid_request` where `positionCursor` did not make it. */
export function positionOf(cursor: string): Position {
  const [, message, within] = positionForm.exec(decode(cursor)) ?? [];
  if (message === undefined) throw invalidCursor();
  return { message, ...(within === undefined ? {} : { within: Number(within) }) };
}

export function entryCursor(entryId: string): string {
  return encode(entryId);
}

/** @throws GatewayError `invalid_request` where `entryCursor` did not make it. */
export function entryOf(cursor: string): string {
  const entryId = decode(cursor);
  if (!isId('act', entryId)) throw invalidCursor();
  return entryId;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  return encode(text) === cursor ? text : '';
}

function invalidCursor(): GatewayError {
  return new GatewayError('invalid_request', 'The cursor is not valid.', {
    details: [{ field: 'cursor', message: 'must be the next_cursor of an earlier answer to the same query' }],
  });
}
