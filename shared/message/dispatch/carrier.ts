/**
 * The calls that a hand-over makes to a carrier, and their outcomes. `shared/carrier/carrier-module.ts` contains the other
 * parts of a carrier.
 */
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import type { Message } from '../message.ts';
import type { Receipt } from './receipt-decisions.ts';

export type HandOver =
  | {
      /** The receipts arrive later, in the receipts queue. */
      readonly outcome: 'accepted';
      readonly carrierMessageId: string;
      readonly cost?: number;
      /** ISO 4217. */
      readonly currency?: string;
    }
  | {
      /**
       * The carrier's documentation says that it does not accept the message: another attempt at this carrier would not
       * help.
       */
      readonly outcome: 'refused';
      readonly errorCode: MessageErrorCode;
      readonly errorMessage: string;
      /**
       * True if the reason is the carrier's own (account, route, capacity), so that another carrier may accept the message.
       */
      readonly elsewhere?: boolean;
    }
  /**
   * The carrier has certainly not accepted the message: there was no connection, or the carrier documents a fault of its
   * own. The attempt may be repeated.
   */
  | { readonly outcome: 'not_taken'; readonly reason: string }
  /** The carrier did not accept the message, because it received too many in a short time. */
  | {
      readonly outcome: 'throttled';
      readonly reason: string;
      /** Present if only this recipient got too many from the sender: another carrier is no help, nor is a slower pace. */
      readonly forRecipient?: true;
    };

/**
 * The content to send. It is created for each hand-over and never stored, because it may contain the code of a one-time
 * password.
 */
export interface HandOverBody {
  /** The text of an SMS or of a WhatsApp text; empty for other WhatsApp messages. */
  readonly text: string;
  /** The code of a one-time password, for a carrier that has its own template for codes. */
  readonly code?: string;
}

/** An attempt to hand a message over. A repeat of the attempt has the same id, number and time. */
export interface Attempt {
  /** The id contains the message id and the number, so a receipt with this id identifies both. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly number: number;
  readonly at: Date;
}

export interface HandOverRequest {
  /**
   * The message, whose `fromOf` is the sender of this attempt. If that is undefined, the carrier uses its default sender.
   */
  readonly message: Message;
  readonly body: HandOverBody;
  readonly attempt: Attempt;
}

/**
 * How the outcome of a lost response becomes known: by a repeat, if the carrier recognizes the attempt's id, or only by a
 * receipt.
 */
export type SettledBy = 'repeat' | 'receipt';

export interface Carrier {
  /**
   * Returns the default sender, in the form of the carrier's reports; undefined if the carrier chooses. It is known before
   * the call, so that a reply that arrives before the response can be assigned to a client.
   */
  defaultSender?(): Promise<string | undefined>;
  /**
   * Hands the message over to the carrier, in one call that is not retried.
   *
   * @throws if it is unknown whether the carrier has the message (a time-out, a broken connection)
   */
  handOver(request: HandOverRequest): Promise<HandOver>;
  /**
   * Asks for the state of a sent message. Returns undefined if the carrier does not know the message. This does not prove
   * that it never got the message.
   */
  lookup?(question: {
    readonly message: Message;
    readonly attempt: Attempt;
    /** Known only after the carrier accepted the message. */
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

/**
 * Returns the message and the number of an attempt id. For a message id, returns only the message; for other texts,
 * undefined.
 */
export function attemptNamed(
  text: string,
): { readonly messageId: string; readonly attempt?: number } | undefined {
  const [, messageId, number] = attemptId.exec(text) ?? [];
  if (messageId === undefined) return undefined;
  return number === undefined ? { messageId } : { messageId, attempt: Number(number) };
}
