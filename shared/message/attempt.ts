/**
 * The attempts to hand over a message, as stored in its row, with their costs. Each attempt is recorded before the carrier
 * is called (`dispatch/next-step.ts`).
 */
import * as z from 'zod/mini';
import { lazily } from '../platform/expiring-cache.ts';

export const attemptOutcomes = ['accepted', 'refused', 'not_taken', 'throttled', 'unknown'] as const;

/** The stored sender if the carrier chooses the sender and reports it only later. */
export const anySender = '*';

export const storedAttempt = lazily(() =>
  z.object({
    /** 1 for the first attempt. The number is part of the attempt's id. */
    number: z.int(),
    carrier: z.string(),
    at: z.iso.datetime(),
    /** If the outcome is still unknown at this time, the stage's setting `onUnknown` applies. */
    deadline: z.iso.datetime(),
    /**
     * The sender of this attempt, if it differs from the message's: the one selected for this carrier, or the carrier's
     * own. `*` if the carrier chooses.
     */
    from: z.exactOptional(z.string()),
    /** Absent while it is unknown if the carrier has the message. */
    outcome: z.exactOptional(z.enum(attemptOutcomes)),
    /** Present if the carrier throttled only the messages to this recipient. */
    for_recipient: z.exactOptional(z.literal(true)),
    /** When the carrier first did not accept the message; absent if this is its first attempt. */
    since: z.exactOptional(z.iso.datetime()),
  }),
);

export type StoredAttempt = Readonly<z.output<ReturnType<typeof storedAttempt>>>;

/** The cost of each attempt, keyed by the attempt's number. */
export const attemptCosts = lazily(() =>
  z.record(
    z.string(),
    z.object({ cost: z.number(), currency: z.string(), reported: z.exactOptional(z.literal(true)) }),
  ),
);

type AttemptCosts = Readonly<z.output<ReturnType<typeof attemptCosts>>>;

/** True if the carrier has the message, or may have it. */
export function mayBeTaken({ outcome = 'unknown' }: StoredAttempt): boolean {
  return outcome === 'accepted' || outcome === 'unknown';
}

interface Attempted {
  readonly attempts?: readonly StoredAttempt[];
  readonly reported_attempt?: number;
}

/** Returns the attempt that a receipt proves, or else the last one. Responses show its carrier and sender. */
export function shownAttempt({ attempts = [], reported_attempt }: Attempted): StoredAttempt | undefined {
  return attempts.find(({ number }) => number === reported_attempt) ?? attempts.at(-1);
}

/**
 * True if every attempt is known to have failed. Two writes may store the failure of one attempt and the outcome of the
 * next at once. Each write returns the row, so the later one sees both.
 */
export function noneMayArrive({
  attempts = [],
  failed_attempt: failed = 0,
  reported_attempt: reported,
}: Attempted & { readonly failed_attempt?: number }): boolean {
  return attempts.every(
    (one) => !mayBeTaken(one) || one.number === failed || (one.number < failed && one.number !== reported),
  );
}

/**
 * Returns the sender of an attempt: from the request, the selected one, or the carrier's own. Undefined if the carrier
 * chose the sender.
 *
 * @param number - the number of the attempt; by default, the attempt that is shown
 */
export function fromOf(
  message: Attempted & { readonly sender?: { readonly identity: string }; readonly from?: string },
  number = shownAttempt(message)?.number,
): string | undefined {
  const { sender, from, attempts = [] } = message;
  const attempt = attempts.find((one) => one.number === number);
  const used = attempt?.from ?? sender?.identity ?? from;
  return used === anySender ? undefined : used;
}

export interface AttemptCost {
  readonly attempt: number;
  readonly cost: number;
  readonly currency: string;
  /** True if the carrier reported the cost. A reported cost replaces an estimate. */
  readonly reported: boolean;
}

interface Costs {
  readonly costs: AttemptCosts;
  readonly cost: number;
  readonly currency: string;
  readonly cost_reported: boolean;
}

const fractionDigits = 6;

/**
 * Returns the costs of a message after adding one; undefined if nothing changes. Each carrier that accepted the message
 * charges for it. A message has one currency. A cost in another currency is only in `costs`.
 */
export function costsWith(message: Attempted & Partial<Costs>, added: AttemptCost): Costs | undefined {
  const costs = withCost(costsOf(message), added);
  if (costs === undefined) return undefined;
  const currency = currencyOf(message, added);
  const summed = Object.values(costs).filter((each) => each.currency === currency);
  const sum = summed.reduce((total, { cost }) => total + cost, 0);
  return {
    costs,
    cost: Number(sum.toFixed(fractionDigits)),
    currency,
    cost_reported: summed.every(({ reported }) => reported === true),
  };
}

/**
 * Returns the cost of each attempt. While only one carrier may have the message, its cost is the cost of the message. A
 * report may store it just as the next attempt begins.
 */
function costsOf({
  costs,
  cost,
  currency,
  cost_reported: reported,
  attempts = [],
}: Attempted & Partial<Costs>): AttemptCosts {
  const first = attempts.find(mayBeTaken);
  if (costs !== undefined || cost === undefined || currency === undefined || first === undefined)
    return costs ?? {};
  return { [first.number]: { cost, currency, ...(reported === true ? { reported } : {}) } };
}

function withCost(
  costs: AttemptCosts,
  { attempt, cost, currency, reported }: AttemptCost,
): AttemptCosts | undefined {
  const known = costs[attempt];
  if (known?.reported === true && !reported) return undefined;
  if (known?.cost === cost && known.currency === currency && (known.reported ?? false) === reported)
    return undefined;
  return { ...costs, [attempt]: { cost, currency, ...(reported ? { reported } : {}) } };
}

/** Keeps the currency that a carrier reported if the added cost is only an estimate. */
function currencyOf({ costs = {}, currency = '' }: Partial<Costs>, added: AttemptCost): string {
  const isReported = Object.values(costs).some((each) => each.currency === currency && each.reported);
  return isReported && !added.reported ? currency : added.currency;
}
