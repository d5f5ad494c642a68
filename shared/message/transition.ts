/** A change of state as a value: what is to be written, and from which states it may be. */
import { type Status, transitions } from './message.ts';

/** What a carrier or a clock says has become of a message. */
export interface Transition {
  readonly to: Status;
  /** When it happened. */
  readonly at: Date;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrierMessageId?: string;
  /** Whether the message must be found again by the carrier's id alone. */
  readonly findableByCarrierId?: boolean;
}

/** The states whose time of entering this transition writes where it is not yet known, the new one last. */
export function statesEntered(to: Status): readonly Status[] {
  return [...transitions[to].implies, to];
}
