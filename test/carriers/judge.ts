/** Compares what the gateway says of each message with the ledgers of the vendors: contract, section 16. */
import type { Ledger } from './stand-in.ts';
import { isFinal, type Sent, type Settled } from './traffic.ts';

export interface Check {
  readonly name: string;
  readonly faults: readonly string[];
}

export function judge(
  sent: readonly Sent[],
  settled: readonly Settled[],
  ledgers: readonly Ledger[],
): readonly Check[] {
  const states = new Map(settled.map((message) => [message.message_id, message]));
  const facts = sent.map((message) => ({
    ...message,
    state: states.get(message.messageId),
    takenBy: ledgers.flatMap(({ vendor, taken }) =>
      taken.filter(({ to }) => to === message.to).map((one) => ({ ...one, carrier: vendor.name })),
    ),
  }));
  type Fact = (typeof facts)[number];
  const check = (name: string, isWrong: (fact: Fact) => boolean): Check => ({
    name,
    faults: facts.filter(isWrong).map(told),
  });
  const told = ({ messageId, onUnknown, state, takenBy }: Fact): string =>
    `${messageId} (${onUnknown}): ${state?.status} ${state?.error?.code ?? ''}; taken by ${takenBy.map(({ carrier, attemptId }) => `${carrier} ${attemptId}`).join(', ') || 'nobody'}`;

  return [
    check('every message has its last state', ({ state }) => state === undefined || !isFinal(state)),
    check(
      'with wait or fail, no message is taken twice',
      ({ onUnknown, takenBy }) => onUnknown !== 'send_again' && takenBy.length > 1,
    ),
    check(
      'with send_again, every message that was taken twice says possible_duplicate',
      ({ takenBy, state }) => takenBy.length > 1 && state?.possible_duplicate !== true,
    ),
    check(
      'every message that was taken is delivered',
      ({ takenBy, state }) => takenBy.length > 0 && state?.status !== 'delivered',
    ),
    check(
      'no message that nobody took is sent or delivered',
      ({ takenBy, state }) => takenBy.length === 0 && !['failed', 'expired'].includes(state?.status ?? ''),
    ),
    check(
      'the carrier of a delivered message is one that took it',
      ({ takenBy, state }) =>
        state?.status === 'delivered' && !takenBy.some(({ carrier }) => carrier === state.carrier),
    ),
    check('every text arrives as it was sent', ({ takenBy, text }) =>
      takenBy.some((one) => one.text !== text),
    ),
    {
      name: 'the descriptions refuse no request, and every callback is taken',
      faults: ledgers.flatMap(({ vendor, findings }) =>
        findings.map((finding) => `${vendor.name}: ${finding}`),
      ),
    },
  ];
}
