/** Compares what the gateway says of each message with the ledgers of the vendors: contract, section 16. */
import { isDeepStrictEqual } from 'node:util';
import type { Taken } from '../support/carrier/vendors/vendor.ts';
import type { Ledger, Refused } from './stand-in.ts';
import { isFinal, type Sent, type Settled, type Usage } from './traffic.ts';

export interface Check {
  readonly name: string;
  readonly faults: readonly string[];
}

/** What a message asked for, what became of it, and what the vendors say of it. */
interface Fact extends Sent {
  readonly state: Settled | undefined;
  readonly takenBy: readonly (Taken & { readonly ledger: Ledger })[];
  readonly refusedBy: readonly (Refused & { readonly ledger: Ledger })[];
  /** The calls of all vendors, lost ones included. */
  readonly calls: number;
}

/** The vendor has proved that it did not take the message. */
const notTaken = ['refused', 'not_taken', 'throttled'];

export function judge(
  sent: readonly Sent[],
  settled: readonly Settled[],
  ledgers: readonly Ledger[],
  usage: { readonly counted: Usage; readonly expected: Usage },
): readonly Check[] {
  const facts = factsOf(sent, settled, ledgers);
  const check = (name: string, isWrong: (fact: Fact) => boolean): Check => ({
    name,
    faults: facts.filter(isWrong).map(told),
  });
  return [
    check('every message has its last state', ({ state }) => state === undefined || !isFinal(state)),
    check(
      'with wait, no message is taken twice',
      ({ onUnknown, takenBy }) => onUnknown !== 'send_again' && takenBy.length > 1,
    ),
    check(
      'with send_again, every message that was taken twice says possible_duplicate',
      ({ takenBy, state }) => takenBy.length > 1 && state?.possible_duplicate !== true,
    ),
    check(
      'every message is delivered that a carrier delivered, and no other',
      (fact) => isDelivered(fact) !== (fact.state?.status === 'delivered'),
    ),
    check('a message that its carrier could not deliver fails with the reason', isFailureHidden),
    check('a message without a final report ends as unknown only where an attempt is unknown', isLeftOpen),
    check('a message that is refused fails with the reason, and goes to no other carrier', isRefusalHidden),
    check('where a carrier has a reason of its own, the next is asked', (fact) =>
      isNextLeftOut(fact, ledgers),
    ),
    check('the attempts are those of the ledgers', areAttemptsWrong),
    check(
      'the carrier of a delivered message is one that delivered it',
      ({ takenBy, state }) =>
        state?.status === 'delivered' &&
        !takenBy.some(
          ({ ledger, outcome }) => ledger.vendor.name === state.carrier && outcome === 'delivered',
        ),
    ),
    check('the cost of a message is what its carriers report', isCostWrong),
    check('every text arrives as it was sent', ({ takenBy, text }) =>
      takenBy.some((one) => one.text !== text),
    ),
    {
      name: 'usage has the messages, states, duplicates and costs of the run',
      faults: isDeepStrictEqual(usage.counted, usage.expected)
        ? []
        : [`${JSON.stringify(usage.counted)}, and not ${JSON.stringify(usage.expected)}`],
    },
    {
      name: 'the descriptions refuse no request, and every callback is taken',
      faults: ledgers.flatMap(({ vendor, findings }) =>
        findings.map((finding) => `${vendor.name}: ${finding}`),
      ),
    },
  ];
}

function factsOf(
  sent: readonly Sent[],
  settled: readonly Settled[],
  ledgers: readonly Ledger[],
): readonly Fact[] {
  const states = new Map(settled.map((message) => [message.message_id, message]));
  return sent.map((message) => {
    const ofThis = <One extends { readonly to: string }>(list: (ledger: Ledger) => readonly One[]) =>
      ledgers.flatMap((ledger) =>
        list(ledger)
          .filter(({ to }) => to === message.to)
          .map((one) => ({ ...one, ledger })),
      );
    return {
      ...message,
      state: states.get(message.messageId),
      takenBy: ofThis(({ taken }) => taken),
      refusedBy: ofThis(({ refused }) => refused),
      calls: ledgers.reduce((sum, { callsFor }) => sum + (callsFor.get(message.to) ?? 0), 0),
    };
  });
}

function told({ messageId, onUnknown, state, takenBy, refusedBy }: Fact): string {
  const attempts = (state?.attempts ?? []).map(({ carrier, outcome }) => `${carrier} ${outcome}`);
  const taken = takenBy.map((one) => `${one.ledger.vendor.name} ${one.attemptId} ${one.outcome}`);
  const refused = refusedBy.map(({ ledger, why }) => `${ledger.vendor.name} ${why}`);
  return [
    `${messageId} (${onUnknown}): ${state?.status} ${state?.error?.code ?? ''} [${attempts.join(', ')}]`,
    `${state?.cost ?? 'no cost'} ${state?.currency ?? ''}`,
    `taken by ${taken.join(', ') || 'nobody'}`,
    ...(refused.length === 0 ? [] : [`refused by ${refused.join(', ')}`]),
  ].join('; ');
}

const isDelivered = ({ takenBy }: Fact): boolean => takenBy.some(({ outcome }) => outcome === 'delivered');

const hasUnknown = ({ state }: Fact): boolean =>
  state?.attempts?.some(({ outcome }) => outcome === 'unknown') === true;

/** With a single call there is nothing but its report that could have decided, if it came before the deadline. */
function isFailureHidden(fact: Fact): boolean {
  const { takenBy, calls, state } = fact;
  if (takenBy.length === 0 || isDelivered(fact)) return false;
  if (calls > 1) return !['failed', 'expired'].includes(state?.status ?? '');
  return state?.status !== 'failed' || state.error?.code !== 'unreachable';
}

function isLeftOpen(fact: Fact): boolean {
  return fact.state?.status === 'expired' && !hasUnknown(fact);
}

/** Where the response was lost, or the worker died, the attempt is unknown, and `send_again` may send once more. */
function isRefusalHidden(fact: Fact): boolean {
  const { refusedBy, takenBy, state, onUnknown } = fact;
  const final = refusedBy.find(({ why }) => why === 'recipient');
  if (final === undefined) return false;
  if (takenBy.some(({ attemptId }) => numberOf(attemptId) > numberOf(final.attemptId)))
    return onUnknown !== 'send_again' || state?.possible_duplicate !== true;
  if (hasUnknown(fact) || takenBy.length > 0) return false;
  return state?.status !== 'failed' || state.error?.code !== final.ledger.vendor.refusalCodes.recipient;
}

/** The last attempt was refused, and another carrier was never asked, though none before it had taken the message. */
function isNextLeftOut({ takenBy, refusedBy, state, to }: Fact, ledgers: readonly Ledger[]): boolean {
  if (takenBy.length > 0) return false;
  const attempt = state?.attempts?.at(-1);
  const last = refusedBy.findLast(({ ledger }) => ledger.vendor.name === attempt?.carrier);
  if (last?.why !== 'account' || attempt?.outcome !== 'refused') return false;
  return ledgers.some(({ callsFor }) => !callsFor.has(to));
}

function areAttemptsWrong({ state, takenBy, refusedBy }: Fact): boolean {
  const of = (carrier: string, outcome: string) =>
    (state?.attempts ?? []).filter((one) => one.carrier === carrier && one.outcome === outcome).length;
  const carriers = new Set((state?.attempts ?? []).map(({ carrier }) => carrier));
  return [...carriers].some((carrier) => {
    const taken = takenBy.filter(({ ledger }) => ledger.vendor.name === carrier).length;
    const refused = refusedBy.filter(({ ledger }) => ledger.vendor.name === carrier).length;
    const isRefusedAtAll = of(carrier, 'refused') > 0 && refused === 0;
    const known = notTaken.reduce((sum, outcome) => sum + of(carrier, outcome), 0);
    const all = (state?.attempts ?? []).filter((one) => one.carrier === carrier).length;
    return isRefusedAtAll || of(carrier, 'accepted') > taken || taken > all - known;
  });
}

/** Of attempts with an estimated price the sum is not known here. */
function isCostWrong({ takenBy, state }: Fact): boolean {
  const cost = state?.cost ?? 0;
  if (takenBy.length === 0) return cost !== 0;
  const currencies = new Set(takenBy.map(({ ledger }) => ledger.vendor.reportsPricesIn));
  const [currency] = currencies;
  if (currencies.size > 1 || currency === undefined) return cost <= 0;
  const sum = takenBy.reduce((total, { price }) => total + price, 0);
  return Math.abs(cost - sum) > 1e-6 || state?.currency !== currency;
}

function numberOf(attemptId: string): number {
  return Number(attemptId.slice(attemptId.lastIndexOf('.') + 1));
}
