/** What a carrier reports of a message after the hand-over, in the gateway's own words. */
import type { Transition } from '../transition.ts';

/** At least one of the two ids is known. */
export interface Receipt {
  readonly messageId?: string;
  readonly carrierMessageId?: string;
  readonly transition: Transition;
}
