/** What the hand-over asks of a carrier, and the outcomes. What else a carrier is has `shared/carrier/carrier-module.ts`. */
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
      /** Whether the reason is the carrier's own (account, route, capacity), so that another carrier may take it. */
      readonly elsewhere?: boolean;
    }
  /** Proven not taken: no connection was made, or the carrier documents a fault of its own. It may be repeated. */
  | { readonly outcome: 'not_taken'; readonly reason: string }
  /** Not taken, because too many messages came in a short time. */
  | { readonly outcome: 'throttled'; readonly reason: string };

/** The content to send. That of a one-time password has the code, so it is made for each hand-over and never stored. */
export interface HandOverBody {
  /** The text of an SMS or of a WhatsApp text; empty for other WhatsApp messages. */
  readonly text: string;
  /** The code of a one-time password, for a carrier that has its own template for codes. */
  readonly code?: string;
}

/** One attempt to hand a message over: a repeat of it has the same id, number and time. */
export interface Attempt {
  /** Follows from the message and the number, so that a receipt which has it names both. */
  readonly id: string;
  /** 1 for the first. */
  readonly number: number;
  readonly at: Date;
}

export interface HandOverRequest {
  /** Its `fromOf` is the sender of this attempt; without one, the carrier uses its own default. */
  readonly message: Message;
  readonly body: HandOverBody;
  readonly attempt: Attempt;
}

interface LookupQuestion {
  readonly message: Message;
  readonly attempt: Attempt;
  /** Known after an acceptance. */
  readonly carrierMessageId?: string | undefined;
}

/** What a carrier says about an attempt that it took. */
interface LookedUp {
  readonly carrierMessageId: string;
  readonly receipt?: Receipt;
}

/** How a lost response is settled: the carrier recognizes the id of a repeated attempt, or only its receipt tells. */
export type SettledBy = 'repeat' | 'receipt';

export interface Carrier {
  /**
   * What it sends from where a message names no sender, as its reports name it: known before the call, so that a reply
   * which precedes the response has an owner. Undefined where the carrier chooses.
   */
  defaultSender?(): Promise<string | undefined>;
  /**
   * Hands the message over to the carrier, in one call that is not retried.
   *
   * @throws when it cannot be known whether the carrier has the message (a time-out, a broken connection).
   */
  handOver(request: HandOverRequest): Promise<HandOver>;
  /** Asks what became of a sent message. Undefined where the carrier knows nothing of it, which proves nothing. */
  lookup?(question: LookupQuestion): Promise<LookedUp | undefined>;
}

export interface ChosenCarrier extends Carrier {
  readonly name: string;
  readonly settledBy: SettledBy;
}

/** The id of an attempt: `msg_….2` is the second of that message. */
export function attemptIdOf(messageId: string, number: number): string {
  return `${messageId}.${number}`;
}

const attemptId = /^(msg_[0-9A-HJKMNP-TV-Z]{26})(?:\.([1-9]\d{0,3}))?$/;

/** The message and the number of an attempt; without a number where the text is only the id of a message. Undefined for other texts. */
export function attemptNamed(
  text: string,
): { readonly messageId: string; readonly attempt?: number } | undefined {
  const [, messageId, number] = attemptId.exec(text) ?? [];
  if (messageId === undefined) return undefined;
  return number === undefined ? { messageId } : { messageId, attempt: Number(number) };
}
