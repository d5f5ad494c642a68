/**
 * Takes what carriers report. Each receipt is one conditional write: a repeated, late or out-of-order one finds
 * no row that may change, so it changes nothing and nothing follows from it.
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

/** A reading that is a moment old shows no state that the message is not at least in. */
const eventually = { consistent: false };

/**
 * A receipt can be quicker than the index by which the carrier's id finds its message, and than the write of that id:
 * one whose message is not found is tried again after each of these, four minutes in all. What is still unknown then
 * belongs to somebody else who uses the same number.
 */
const unknownDelaysSeconds = [2, 4, 8, 16, 32, 64, 128];

/** How long a receipt waits whose message was not found on its n-th try; undefined where it is given up. */
export function unknownRetryAfterSeconds(receives: number): number | undefined {
  return unknownDelaysSeconds[receives - 1];
}

/** Records one receipt; a receipt for a message that is not ours is reported and changes nothing. */
export async function recordReceipt(messages: ReceiptStore, receipt: Receipt): Promise<Recorded> {
  const messageId = receipt.messageId ?? (await findByCarrier(messages, receipt));
  if (messageId === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  if (receipt.transition.to === 'sent') {
    // The hand-over has mostly told it already: half a read unit instead of a write that is refused.
    const known = await messages.get(messageId, eventually);
    if (known !== undefined && isPast(known.status)) return proveSent(messages, receipt, known);
  }
  const message = await messages.transition(messageId, { ...receipt.transition, reported: true });
  if (message !== undefined) return { outcome: 'recorded', messageId, message };
  const known = await messages.get(messageId);
  if (known === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  return proveSent(messages, receipt, known);
}

/** The state moves no more; but a message that came to its end without `sent` was handed over, as this receipt proves. */
async function proveSent(messages: ReceiptStore, { transition }: Receipt, known: Message): Promise<Recorded> {
  const { message_id: messageId, status } = known;
  const ended = status === 'failed' || status === 'expired';
  const filled =
    ended && known.sent_at === undefined ? await messages.fillInSent(messageId, transition.at) : undefined;
  return filled === undefined
    ? { outcome: 'ignored', messageId, message: known }
    : { outcome: 'recorded', messageId, message: filled };
}

/** Whether `sent` can never be entered any more. */
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
