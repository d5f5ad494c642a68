/** A change of state as a value: what to write. */
import { type MessageErrorCode, messageError } from '../contract/message-error-codes.ts';
import { withoutUndefined } from '../platform/without-undefined.ts';
import { type Message, type Status, transitions } from './message.ts';

/** A change of state that a carrier reported, or that is due. */
export interface Transition extends CarrierReport {
  readonly to: Status;
  readonly at: Date;
  /** Whether the recipient is suppressed, so that it was not handed over. */
  readonly suppressed?: boolean;
  /** Whether it comes from a receipt, which proves that the message was handed over. */
  readonly reported?: boolean;
}

/** What a carrier reports about a message besides its state. */
interface CarrierReport {
  readonly errorCode?: MessageErrorCode;
  readonly errorMessage?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrierMessageId?: string;
  /** Whether the message must be found by the carrier's id. */
  readonly findableByCarrierId?: boolean;
}

/** The states whose time this transition sets, if it is not set yet; the new state last. */
export function statesEntered({ to, reported }: Pick<Transition, 'to' | 'reported'>): readonly Status[] {
  const proven: readonly Status[] = reported === true ? ['sent'] : [];
  return [...new Set([...proven, ...transitions[to].implies, to])];
}

/** For a message whose validity period ended without a final receipt. */
export function expiry(at: Date): Transition {
  return { to: 'expired', at, ...messageError('expired') };
}

/** The report as fields of the message. A receipt has the carrier's figure of the cost, a hand-over an estimate. */
export function fieldsOf(
  report: CarrierReport & Pick<Transition, 'reported' | 'suppressed'>,
): Partial<Message> {
  return withoutUndefined({
    error_code: report.errorCode,
    error_message: report.errorMessage,
    suppressed: report.suppressed,
    cost: report.cost,
    currency: report.currency,
    cost_reported: report.reported === true && report.cost !== undefined ? true : undefined,
    carrier_message_id: report.carrierMessageId,
  });
}
