/** How long a one-time password took from its request to the carrier, for the objective of the stage. */
import { modeOf } from '../contract/mode.ts';
import type { Message } from '../message/message.ts';

/**
 * Returns the milliseconds until a message was handed over; undefined unless it is a one-time password of a live key. The further
 * legs of a send are left out: they come later on purpose.
 */
export function otpHandOverMs(
  message: Pick<Message, 'client_id' | 'otp' | 'leg' | 'created_at'>,
  now: Date,
): number | undefined {
  if (message.otp === undefined || message.leg !== undefined || modeOf(message.client_id) === 'test')
    return undefined;
  // The clock of the function that stored it may be ahead, and CloudWatch has no percentiles of a metric with a negative value.
  return Math.max(0, now.getTime() - Date.parse(message.created_at));
}
