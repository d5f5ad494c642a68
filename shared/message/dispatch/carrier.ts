/** The port to whoever carries messages: one call that hands a message over, and what can come of it. */
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import type { Message } from '../message.ts';

/** What the carrier said to a hand-over. */
export type HandOver =
  | {
      /** Taken: receipts follow by their own road. */
      readonly outcome: 'accepted';
      readonly carrierMessageId: string;
      readonly cost?: number;
      /** ISO 4217. */
      readonly currency?: string;
    }
  | {
      /** Refused for good. */
      readonly outcome: 'refused';
      readonly errorCode: MessageErrorCode;
      readonly errorMessage: string;
    }
  | {
      /** Not taken, and nothing was sent: throttled, or the carrier is out of order. */
      readonly outcome: 'try_again';
      readonly reason: string;
    };

/** What a message says; a one-time password's is made for one hand-over and kept nowhere. */
export interface HandOverBody {
  /** Of an SMS, or of a WhatsApp text; empty for other WhatsApp messages. */
  readonly text: string;
  /** Of a one-time password: for a carrier that puts it into a template of its own. */
  readonly code?: string;
}

export interface Carrier {
  /**
   * Gives the message to the carrier.
   *
   * @param attempt 1 for the first hand-over of this message.
   * @throws when it cannot be known whether the carrier took the message (a time-out, a broken connection).
   */
  handOver(message: Message, body: HandOverBody, attempt: number): Promise<HandOver>;
}
