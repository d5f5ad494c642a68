/** The interface of carriers: one call that hands a message over, and its outcomes. */
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import type { Message } from '../message.ts';

export type HandOver =
  | {
      /** The receipts queue gets the receipts later. */
      readonly outcome: 'accepted';
      readonly carrierMessageId: string;
      readonly cost?: number;
      /** ISO 4217. */
      readonly currency?: string;
    }
  | {
      /** Another attempt would not help. */
      readonly outcome: 'refused';
      readonly errorCode: MessageErrorCode;
      readonly errorMessage: string;
    }
  | {
      /** Nothing was sent: throttled, or the carrier has a fault. */
      readonly outcome: 'try_again';
      readonly reason: string;
    };

/** The content to send. That of a one-time password has the code, so it is made for each hand-over and never stored. */
export interface HandOverBody {
  /** The text of an SMS or of a WhatsApp text; empty for other WhatsApp messages. */
  readonly text: string;
  /** The code of a one-time password, for a carrier that has its own template for codes. */
  readonly code?: string;
}

export interface Carrier {
  /**
   * Hands the message over to the carrier.
   *
   * @param attempt 1 for the first hand-over of this message.
   * @throws when it cannot be known whether the carrier has the message (a time-out, a broken connection).
   */
  handOver(message: Message, body: HandOverBody, attempt: number): Promise<HandOver>;
}
