/**
 * Whether a message of a send with `fallback` need not be handed over any more. A leg may wait for its carrier so long that
 * the next one has started, or that a late receipt delivered the one before; the person would get the message twice.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Message } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';
import { earlierLegIds, laterLegIds, nextLegDueAt } from './legs.ts';
import type { OtpLegs } from './start-next-leg.ts';

interface ReplacedDependencies {
  readonly messages: Pick<MessageStore, 'getMany'>;
  readonly otpLegs: Pick<OtpLegs, 'isPending'>;
  readonly clock: Clock;
}

/** Reads nothing for a message without `fallback`, nor for a first leg within its time. */
export async function isReplaced(
  { messages, otpLegs, clock }: ReplacedDependencies,
  message: Message,
): Promise<boolean> {
  const earlier = earlierLegIds(message);
  const dueAt = nextLegDueAt(message);
  const later = dueAt !== undefined && dueAt <= clock() ? laterLegIds(message) : [];
  if (earlier.length + later.length === 0) return false;
  const legs = await messages.getMany([...earlier, ...later]);
  if (legs.some(({ status }) => status === 'delivered' || status === 'read')) return true;
  if (legs.some(({ message_id, status }) => later.includes(message_id) && status !== 'failed')) return true;
  return earlier.length > 0 && message.otp !== undefined && !(await otpLegs.isPending(message.otp.otp_id));
}
