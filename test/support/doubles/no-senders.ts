/** A stage without senders of its own, and numbers without rows of senders. */
import type { NumberOwners } from '../../../shared/sender/number-owners.ts';

/** A stage with one carrier for each channel and no sender of its own. */
export const oneCarrierEach = { sms: undefined, carriers: { sms: ['aws'], whatsapp: ['aws'] } };

/** Numbers that rows give to nobody, or to one client each. */
export function numbersOwned(
  ownerOf: NumberOwners['ownerOf'] = async () => undefined,
  holders?: ReadonlySet<string>,
): NumberOwners {
  return { ownerOf, holdersOf: async () => holders };
}
