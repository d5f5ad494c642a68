/**
 * The calls that a hand-over makes to a carrier, and their outcomes. `shared/carrier/carrier-module.ts` contains the other
 * parts of a carrier.
 */
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import type { Message } from '../message.ts';
import type { Receipt } from './receipt-decisions.ts';

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
      /** The carrier documents that it does not take the message: another attempt at this carrier would not help. */
      readonly outcome: 'refused';
      readonly errorCode: MessageErrorCode;
      readonly errorMessage: string;
      /**
       * True if the reason is the carrier's own (account, route, capacity), so that another carrier may accept the message.
       */
      readonly elsewhere?: boolean;
    }
  /**
   * The carrier has certainly not accepted the message: no connection was made, or the carrier documents a fault of its own.
   * It may be repeated.
   */
  | { readonly outcome: 'not_taken'; readonly reason: string }
  /** The carrier did not accept the message, because too many messages came in a short time. */
  | { readonly outcome: 'throttled'; readonly reason: string };

/** The content to send. It may contain the code of a one-time password, so it is made for each hand-over and never stored. */
export interface HandOverBody {
  /** The text of an SMS or of a WhatsApp text; empty for other WhatsApp messages. */
  readonly text: string;
  /** The code of a one-time password, for a carrier that has its own template for codes. */
  readonly code?: string;
}

/** An attempt to hand a message over. A repeated attempt has the same id, number and time. */
export interface Attempt {
  /** Contains the message and the number, so that a receipt with this id names both. */
  readonly id: string;
  /** 1 for the first. */
  readonly number: number;
  readonly at: Date;
}

export interface HandOverRequest {
  /** The `fromOf` of the message is the sender of this attempt. If it is undefined, the carrier uses its default sender. */
  readonly message: Message;
  readonly body: HandOverBody;
  readonly attempt: Attempt;
}

/**
 * How the outcome is settled after a lost response: by a repeat, if the carrier recognizes the attempt's id, or only by a
 * receipt.
 */
export type SettledBy = 'repeat' | 'receipt';

export interface Carrier {
  /**
   * Returns the sender of messages that do not name a sender, in the form of the carrier's reports. It is known before the
   * call, so that a reply that arrives before the response has an owner. Undefined if the carrier chooses.
   */
  defaultSender?(): Promise<string | undefined>;
  /**
   * Hands the message over to the carrier, in one call that is not retried.
   *
   * @throws if it is unknown whether the carrier has the message (a time-out, a broken connection)
   */
  handOver(request: HandOverRequest): Promise<HandOver>;
  /** Asks for the state of a sent message. Returns undefined if the carrier does not know it, which proves nothing. */
  lookup?(question: {
    readonly message: Message;
    readonly attempt: Attempt;
    /** Known after an acceptance. */
    readonly carrierMessageId?: string | undefined;
  }): Promise<{ readonly carrierMessageId: string; readonly receipt?: Receipt } | undefined>;
}

export interface ChosenCarrier extends Carrier {
  readonly name: string;
  readonly settledBy: SettledBy;
}

/** Returns the id of an attempt: `msg_….2` is the second attempt of that message. */
export function attemptIdOf(messageId: string, number: number): string {
  return `${messageId}.${number}`;
}

const attemptId = /^(msg_[0-9A-HJKMNP-TV-Z]{26})(?:\.([1-9]\d{0,3}))?$/;

/** Returns the message and the number of an attempt; no number if the text is the id of a message. Undefined for other texts. */
export function attemptNamed(
  text: string,
): { readonly messageId: string; readonly attempt?: number } | undefined {
  const [, messageId, number] = attemptId.exec(text) ?? [];
  if (messageId === undefined) return undefined;
  return number === undefined ? { messageId } : { messageId, attempt: Number(number) };
}
