/**
 * Takes what carriers report. Each receipt is one conditional write: a repeated, late or out-of-order one finds
 * no row that may change, so it changes nothing and nothing follows from it.
 */
import { type Message, type Status, transitions } from './message.ts';
import type { MessageStore } from './message-store.ts';
import type { Receipt } from './receipt.ts';

type ReceiptOutcome = 'recorded' | 'ignored' | 'unknown_message';

interface Recorded {
  readonly outcome: ReceiptOutcome;
  readonly messageId: string | undefined;
  readonly message: Message | undefined;
}

/** A reading that is a moment old shows no state that the message is not at least in. */
const mayBeOld = { mayBeOld: true };

/** Records one receipt; a receipt for a message that is not ours is reported and changes nothing. */
export async function recordReceipt(
  messages: Pick<MessageStore, 'transition' | 'get' | 'findByCarrierId'>,
  receipt: Receipt,
): Promise<Recorded> {
  const messageId = receipt.messageId ?? (await findByCarrier(messages, receipt));
  if (messageId === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  if (receipt.transition.to === 'sent') {
    // The hand-over has mostly told it already: half a read unit instead of a write that is refused.
    const known = await messages.get(messageId, mayBeOld);
    if (known !== undefined && isPast(known.status)) return { outcome: 'ignored', messageId, message: known };
  }
  const message = await messages.transition(messageId, receipt.transition);
  if (message !== undefined) return { outcome: 'recorded', messageId, message };
  const known = await messages.get(messageId);
  return { outcome: known === undefined ? 'unknown_message' : 'ignored', messageId, message: known };
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
