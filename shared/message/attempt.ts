/**
 * The attempts to hand a message over, as its row has them, which of them is shown, and what they cost. Each is recorded before its
 * call (`dispatch/next-step.ts`).
 */
import * as z from 'zod/mini';
import { lazily } from '../platform/expiring-cache.ts';

export const attemptOutcomes = ['accepted', 'refused', 'not_taken', 'throttled', 'unknown'] as const;

/** In place of a sender that the carrier chooses, and names in its reports only. */
export const anySender = '*';

export const storedAttempt = lazily(() =>
  z.object({
    /** 1 for the first attempt. The attempt's id contains it. */
    number: z.int(),
    carrier: z.string(),
    at: z.iso.datetime(),
    /** When the stage's rule for unknown outcomes applies, if the outcome is not known by then. */
    deadline: z.iso.datetime(),
    /**
     * What it is sent from, where that is not the sender of the message: the one that is selected for this carrier, or the
     * carrier's own. `*` where the carrier chooses.
     */
    from: z.exactOptional(z.string()),
    /** Absent while it is not known whether the carrier has the message. */
    outcome: z.exactOptional(z.enum(attemptOutcomes)),
    /** When the carrier first did not take the message; absent where this is its first attempt. */
    since: z.exactOptional(z.iso.datetime()),
  }),
);

export type StoredAttempt = Readonly<z.output<ReturnType<typeof storedAttempt>>>;

/** The cost of each attempt, by its number. */
export const attemptCosts = lazily(() =>
  z.record(
    z.string(),
    z.object({ cost: z.number(), currency: z.string(), reported: z.exactOptional(z.literal(true)) }),
  ),
);

type AttemptCosts = Readonly<z.output<ReturnType<typeof attemptCosts>>>;

/** Whether the carrier has the message, or may have it. */
export function mayBeTaken({ outcome = 'unknown' }: StoredAttempt): boolean {
  return outcome === 'accepted' || outcome === 'unknown';
}

interface Attempted {
  readonly attempts?: readonly StoredAttempt[];
  readonly reported_attempt?: number;
}

/** The attempt that a receipt proves, else the last one: its carrier and its sender are shown. */
export function shownAttempt({ attempts = [], reported_attempt }: Attempted): StoredAttempt | undefined {
  return attempts.find(({ number }) => number === reported_attempt) ?? attempts.at(-1);
}

/**
 * Whether no attempt may reach the person any more. The failure of one and the outcome of the next may be written at the same
 * moment: each write returns the row, so that the later one finds both.
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
 * Returns what an attempt is sent from: the sender of the request, the one that was selected, or the carrier's own. Undefined
 * where the carrier chose.
 *
 * @param number - of the attempt, by default the one that is shown
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
  /** Whether it is the carrier's figure, which replaces an estimate. */
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
 * The costs of a message with this one, because each carrier that took it asks for its price; undefined if nothing changes. A
 * message has one currency: what a carrier asks for in another one is in `costs` only.
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
 * The cost of each attempt. While one carrier alone might have the message, its cost was stored as that of the message; a report
 * may have done so while the next attempt began.
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

/** An estimate does not take the place of what a carrier reported in another currency. */
function currencyOf({ costs = {}, currency = '' }: Partial<Costs>, added: AttemptCost): string {
  const isReported = Object.values(costs).some((each) => each.currency === currency && each.reported);
  return isReported && !added.reported ? currency : added.currency;
}
