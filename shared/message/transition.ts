/** A change of state as a value: what is to be written, and from which states it may be. */
import { type MessageErrorCode, messageError } from '../contract/message-error-codes.ts';
import { type Message, type Status, transitions } from './message.ts';

/** What a carrier or a clock says has become of a message. */
export interface Transition extends CarrierReport {
  readonly to: Status;
  /** When it happened. */
  readonly at: Date;
  /** Whether a carrier reported it in a receipt, which proves that the message was handed over. */
  readonly reported?: boolean;
}

/** What a carrier says of a message beside its state. */
export interface CarrierReport {
  readonly errorCode?: MessageErrorCode;
  readonly errorMessage?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrierMessageId?: string;
  /** Whether the message must be found again by the carrier's id alone. */
  readonly findableByCarrierId?: boolean;
}

/** The states whose time of entering this transition writes where it is not yet known, the new one last. */
export function statesEntered({ to, reported }: Pick<Transition, 'to' | 'reported'>): readonly Status[] {
  const proven: readonly Status[] = reported === true ? ['sent'] : [];
  return [...new Set([...proven, ...transitions[to].implies, to])];
}

/** What becomes of a message whose validity period ended without a final receipt. */
export function expiry(at: Date): Transition {
  return { to: 'expired', at, ...messageError('expired') };
}

/** The word as fields of the message, those alone that it has. */
export function fieldsOf(word: CarrierReport): Partial<Message> {
  const fields = {
    error_code: word.errorCode,
    error_message: word.errorMessage,
    cost: word.cost,
    currency: word.currency,
    carrier_message_id: word.carrierMessageId,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
