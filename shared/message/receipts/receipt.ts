/** What a carrier reports about a message after the hand-over, in the same form for all carriers. */
import type { Transition } from '../transition.ts';

/** At least one of the two ids is set. */
export interface Receipt {
  readonly messageId?: string;
  readonly carrierMessageId?: string;
  readonly transition: Transition;
}
