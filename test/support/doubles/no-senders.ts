/** A stage without senders of its own, without prices, and without suppressions. */
import type { PriceOf, SuppressedAmong } from '../../../shared/message/send/dry-run.ts';
import type { SelectSender, SendersOf } from '../../../shared/sender/select-sender.ts';

/** As without any row. */
export const selectNone: SelectSender = ({ from }) => (from === undefined ? undefined : { identity: from });

const sendersOf: SendersOf = async () => selectNone;
const priceOf: PriceOf = () => undefined;

const suppressedAmong: SuppressedAmong = async () => new Set();

export const noSenders = { sendersOf, priceOf, suppressedAmong };
