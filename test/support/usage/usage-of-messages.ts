/** Computes the expected usage of messages from their rows, without the code under test. */
import type { Message } from '../../../shared/message/message.ts';

interface ExpectedUsage {
  messages: number;
  segments: number;
  avoidable_segments: number;
  avoidable_cost: number;
  delivered: number;
  failed: number;
  possible_duplicates: number;
  /** In the currency, from a sum of whole millionths. */
  cost: number;
  estimated: boolean;
}

type Grouped = Readonly<Record<string, ExpectedUsage>>;

/** By what `keyOf` says of each message. */
export function usageOfMessages(messages: readonly Message[], keyOf: (message: Message) => string): Grouped {
  const groups = Map.groupBy(messages, keyOf);
  return Object.fromEntries(
    [...groups].map(([key, some]) => {
      const arrived = some.filter(({ status }) => status === 'delivered' || status === 'read');
      const millionths = some.reduce(
        (sum, { cost = 0 }) => sum + BigInt(cost.toFixed(6).replace('.', '')),
        0n,
      );
      return [
        key,
        {
          messages: some.length,
          segments: some.reduce((sum, one) => sum + (one.channel === 'sms' ? (one.segments ?? 0) : 0), 0),
          avoidable_segments: 0,
          avoidable_cost: 0,
          delivered: arrived.length,
          failed: some.filter(({ status }) => status === 'failed').length,
          possible_duplicates: some.filter((one) => one.possible_duplicate === true).length,
          cost: Number(millionths) / 1e6,
          estimated: some.some((one) => one.cost !== undefined && one.cost_reported !== true),
        },
      ];
    }),
  );
}
