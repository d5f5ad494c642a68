/** A stage without senders of its own, and without prices. */
import type { PriceOf } from '../../../shared/message/send/dry-run.ts';
import type { SelectSender, SendersOf } from '../../../shared/sender/select-sender.ts';

/** As without any row. */
export const selectNone: SelectSender = ({ from }) => (from === undefined ? undefined : { identity: from });

const sendersOf: SendersOf = async () => selectNone;
const priceOf: PriceOf = () => undefined;

export const noSenders = { sendersOf, priceOf };
