/** Records the receipts of one queue message, and decides whether the queue must deliver it again. */
import type { Message } from '../message.ts';
import type { Receipt } from './receipt.ts';
import { recordReceipt, unknownRetryAfterSeconds } from './record-receipt.ts';

interface TakeReceiptsDependencies {
  readonly messages: Parameters<typeof recordReceipt>[0];
  /** Suppresses the recipient, because the carrier says that the person opted out; repeating it is safe. */
  readonly recordOptOut: (message: Message, at: Date) => Promise<void>;
}

export interface Taken {
  readonly receipt: Receipt;
  readonly outcome: Awaited<ReturnType<typeof recordReceipt>>['outcome'] | 'given_up';
  readonly messageId: string | undefined;
  readonly message: Message | undefined;
}

/** @param receives - how often the queue has delivered this message, including this time */
export async function takeReceipts(
  { messages, recordOptOut }: TakeReceiptsDependencies,
  receipts: readonly Receipt[],
  receives: number,
): Promise<{ readonly taken: readonly Taken[]; readonly retryAfterSeconds: number | undefined }> {
  const retryAfterSeconds = unknownRetryAfterSeconds(receives);
  const taken: Taken[] = [];
  for (const receipt of receipts) {
    const recorded = await recordReceipt(messages, receipt);
    // A repeat does this again, whatever became of the state.
    if (receipt.transition.errorCode === 'recipient_opted_out' && recorded.message !== undefined) {
      await recordOptOut(recorded.message, receipt.transition.at);
    }
    const givenUp = recorded.outcome === 'unknown_message' && retryAfterSeconds === undefined;
    taken.push({ receipt, ...recorded, ...(givenUp ? { outcome: 'given_up' } : {}) });
  }
  // A repeat of those that were recorded changes nothing.
  const waits = taken.some(({ outcome }) => outcome === 'unknown_message');
  return { taken, retryAfterSeconds: waits ? retryAfterSeconds : undefined };
}
