/**
 * Records the receipts of carriers. Each is one conditional write: the condition of a repeated, late or out-of-order
 * receipt does not hold, so it changes nothing and sends nothing.
 */
import { type Message, type Status, transitions } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';
import type { Receipt } from './receipt.ts';

type ReceiptOutcome = 'recorded' | 'ignored' | 'unknown_message';

interface Recorded {
  readonly outcome: ReceiptOutcome;
  readonly messageId: string | undefined;
  readonly message: Message | undefined;
}

type ReceiptStore = Pick<MessageStore, 'transition' | 'get' | 'findByCarrierId' | 'fillInSent'>;

/** Enough here: an older read shows an earlier state. */
const eventually = { consistent: false };

/**
 * A receipt can arrive before the carrier's id is written, and before the index has it. While its message is not found,
 * it is retried after these delays, four minutes in total. After that it belongs to another sender of the same number.
 */
const unknownDelaysSeconds = [2, 4, 8, 16, 32, 64, 128];

/** The delay after the n-th try that did not find the message; undefined after the last. */
export function unknownRetryAfterSeconds(receives: number): number | undefined {
  return unknownDelaysSeconds[receives - 1];
}

/** Records one receipt; one of an unknown message changes nothing. */
export async function recordReceipt(messages: ReceiptStore, receipt: Receipt): Promise<Recorded> {
  const messageId = receipt.messageId ?? (await findByCarrier(messages, receipt));
  if (messageId === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  if (receipt.transition.to === 'sent') {
    // Usually the hand-over has written `sent` already: this read is cheaper than a refused write.
    const known = await messages.get(messageId, eventually);
    if (known !== undefined && isPast(known.status)) return proveSent(messages, receipt, known);
  }
  const message = await messages.transition(messageId, { ...receipt.transition, reported: true });
  if (message !== undefined) return { outcome: 'recorded', messageId, message };
  const known = await messages.get(messageId);
  if (known === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  return proveSent(messages, receipt, known);
}

/** The state no longer changes; but this receipt proves that a final message without `sent` was handed over. */
async function proveSent(messages: ReceiptStore, { transition }: Receipt, known: Message): Promise<Recorded> {
  const { message_id: messageId, status } = known;
  const ended = status === 'failed' || status === 'expired';
  const filled =
    ended && known.sent_at === undefined ? await messages.fillInSent(messageId, transition.at) : undefined;
  return filled === undefined
    ? { outcome: 'ignored', messageId, message: known }
    : { outcome: 'recorded', messageId, message: filled };
}

/** Whether `sent` can no longer be entered. */
function isPast(status: Status): boolean {
  return status === 'sent' || transitions[status].final;
}

function findByCarrier(
  messages: Pick<MessageStore, 'findByCarrierId'>,
  receipt: Receipt,
): Promise<string | undefined> {
  if (receipt.carrierMessageId === undefined) return Promise.resolve(undefined);
  return messages.findByCarrierId(receipt.carrierMessageId);
}
