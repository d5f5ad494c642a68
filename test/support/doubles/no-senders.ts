/** A stage without senders of its own, without prices, and without suppressions. */

import type { PriceOf } from '../../../shared/message/send/dry-run.ts';
import type { SuppressedAmong } from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import type { NumberOwners } from '../../../shared/sender/number-owners.ts';
import type { SelectSender, SendersOf, StageSenders } from '../../../shared/sender/select-sender.ts';

/** A stage with one carrier for each channel and no sender of its own. */
export const oneCarrierEach: StageSenders = { sms: undefined, carriers: { sms: ['aws'], whatsapp: ['aws'] } };

/** As without any row. */
export const selectNone: SelectSender = ({ from }) =>
  from === undefined ? {} : { sender: { identity: from } };

const sendersOf: SendersOf = async () => ({ select: selectNone, isOfOthers: () => false });
const priceOf: PriceOf = () => undefined;

const suppressedAmong: SuppressedAmong = async () => new Set();

export const noSenders = { sendersOf, priceOf, suppressedAmong };

/** Numbers that rows give to nobody, or to one client each. */
export function numbersOwned(
  ownerOf: NumberOwners['ownerOf'] = async () => undefined,
  holders?: ReadonlySet<string>,
): NumberOwners {
  return { ownerOf, holdersOf: async () => holders };
}
