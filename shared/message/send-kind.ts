/** The kind of a message's send: priority follows from it, and from nothing that a client can set. */
import type { SendKind } from '../contract/send-kinds.ts';
import type { Message } from './message.ts';

/** A row of a bulk request that an earlier release stored does not name its batch: it counts as a single send. */
export function sendKindOf({ otp, batch_id }: Pick<Message, 'otp' | 'batch_id'>): SendKind {
  if (otp !== undefined) return 'otp';
  return batch_id === undefined ? 'single' : 'bulk';
}
