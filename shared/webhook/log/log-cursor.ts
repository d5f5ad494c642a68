/** The cursors of the delivery log: a position among the deliveries of messages, or an entry of the Activity Log. */
import { opaqueCursor } from '../../operation/cursor.ts';
import type { Position } from './deliveries-of-messages.ts';

export const entryCursor = opaqueCursor(/^act_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

const positions = opaqueCursor(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26}(?:~[1-9]\d{0,2})?$/,
);

export const positionCursor = {
  encode: ({ message, within }: Position): string =>
    positions.encode(within === undefined ? message : `${message}~${within}`),

  /** @throws GatewayError `invalid_request` where `encode` did not make it. */
  decode(cursor: string): Position {
    const [message = '', within] = positions.decode(cursor).split('~');
    return { message, within: within === undefined ? undefined : Number(within) };
  },
};
