/**
 * A send with `?dry_run=true` reports what would be sent, the cost, and the errors that would refuse it. It stores and
 * sends nothing, and counts only towards the rate limit (contract 14.6).
 */
import * as z from 'zod/mini';
import { type FieldError, GatewayError } from '../../contract/errors.ts';
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import { expectedPrice, type PricedMessage, type PriceTable, readPrices } from '../../contract/prices.ts';
import { millionthsPerUnit } from '../../contract/rate-limits-and-caps.ts';
import { recipientTypeOf } from '../../contract/recipient-forms.ts';
import { type ApiRequest, type ApiResponse, parseQuery } from '../../operation/operation.ts';
import type { Context } from '../../platform/context.ts';
import { lazily } from '../../platform/expiring-cache.ts';
import { fromOf } from '../attempt.ts';
import type { Message, StoredLeg } from '../message.ts';
import { smsContent, ucs2Of } from '../smart-encoding.ts';
import type { Batch } from '../store/batches.dynamo.ts';
import { suppressedAmong } from '../suppression/suppressions.dynamo.ts';
import type { DryRun, DryRunBatch, DryRunRefusal, dryRunLeg } from './dry-run-response.schema.ts';
import { isRepeat, type KeyedRecord, type KeyedRequest } from './idempotency.ts';

const sendQuery = lazily(() =>
  z.object({ dry_run: z.optional(z.enum(['true', 'false'], 'must be true or false')) }),
);

/** @throws GatewayError `invalid_request` for another value or parameter, because a misspelled `dry_run` must not send */
export function isDryRun(request: ApiRequest): boolean {
  return parseQuery(sendQuery(), request).dry_run === 'true';
}

/**
 * Returns the errors that would refuse the request, from these checks or from an Idempotency-Key that belongs to another
 * request. A repeat of an accepted request is never refused.
 */
export async function refusalsOf(
  store: { get(id: string): Promise<KeyedRecord | undefined> },
  keyed: KeyedRequest,
  checks: readonly (() => void | Promise<void>)[],
): Promise<DryRunRefusal[]> {
  let repeats = false;
  const ofKey = await thrownBy([
    async () => {
      repeats = await isRepeat(store, keyed);
    },
  ]);
  return repeats || ofKey.length > 0 ? ofKey : thrownBy(checks);
}

/** Returns the errors that these checks throw. Each error would refuse the request. */
async function thrownBy(checks: readonly (() => void | Promise<void>)[]): Promise<DryRunRefusal[]> {
  const refusals: DryRunRefusal[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status >= 500) throw error;
      const { status, code, message, retryAfterSeconds } = error;
      refusals.push({
        status,
        error: code,
        message,
        retry_after: retryAfterSeconds,
      });
    }
  }
  return refusals;
}

/**
 * Returns the dry run of a single send. @param textOf - the text as it is sent, if it is stored in another form
 */
export async function dryRunOf(
  context: Context<'PRICES_FILE' | 'SUPPRESSIONS_TABLE'>,
  message: Message,
  {
    refusals,
    unknownFields,
  }: {
    readonly refusals: readonly DryRunRefusal[];
    readonly unknownFields: readonly FieldError[];
  },
  textOf: (stored: string) => string = (stored) => stored,
): Promise<ApiResponse> {
  const { channel, recipient, text = '', encoding, segments } = message;
  const prices = readPrices(context.env.PRICES_FILE);
  const price = expectedPrice(prices, message);
  const failure = failureOf(message, await suppressedAmong(context, [message]));
  const body: DryRun = {
    dry_run: true,
    would_be_accepted: refusals.length === 0,
    channel,
    recipient,
    recipient_type: recipientTypeOf(recipient),
    from: fromOf(message) ?? null,
    ...(encoding === undefined || segments === undefined
      ? {}
      : { encoding, segments, ucs2: ucs2View(prices, message, textOf(text), failure) }),
    estimated_cost: costOf(price, failure),
    currency: price?.currency ?? null,
    ...failure,
    fallback: message.fallback?.map(legView),
    refusals: [...refusals],
    unknown_fields: [...unknownFields],
  };
  return { status: 200, body, log: { dry_run: true, refusals: refusals.length } };

  function legView({ channel, after_seconds, text = '', ...leg }: StoredLeg): z.output<typeof dryRunLeg> {
    const priced = { channel, country: message.country };
    const sms = channel === 'sms' ? smsContent(textOf(text), message.smart_encoding) : undefined;
    const price = expectedPrice(prices, { ...priced, segments: sms?.segments });
    return {
      channel,
      after_seconds: after_seconds ?? null,
      from: fromOf(leg) ?? null,
      encoding: sms?.encoding,
      segments: sms?.segments,
      ucs2: sms && ucs2View(prices, priced, sms.text, failure),
      // The leg has the same recipient, so the same failure applies.
      estimated_cost: costOf(price, failure),
    };
  }
}

/** Returns the code with which the message would fail at its hand-over, if that is known in advance. */
function failureOf(
  { recipient }: Message,
  suppressed: ReadonlySet<string>,
): { readonly would_fail_with?: MessageErrorCode } {
  return suppressed.has(recipient) ? { would_fail_with: 'recipient_opted_out' } : {};
}

/** Returns the cost. A message that would never reach a carrier costs nothing. */
function costOf(
  price: ReturnType<typeof expectedPrice>,
  { would_fail_with }: ReturnType<typeof failureOf>,
): number | null {
  return would_fail_with === undefined ? (price?.cost ?? null) : 0;
}

/** Returns the characters that make an SMS UCS-2, and its cost without them. */
function ucs2View(
  prices: PriceTable,
  message: PricedMessage,
  text: string,
  failure: ReturnType<typeof failureOf>,
) {
  const ucs2 = ucs2Of(text);
  if (ucs2 === undefined) return undefined;
  const { gsm7_segments: segments } = ucs2;
  const price = segments === null ? undefined : expectedPrice(prices, { ...message, segments });
  return { ...ucs2, gsm7_estimated_cost: segments === null ? null : costOf(price, failure) };
}

export async function dryRunOfBatch(
  context: Context<'PRICES_FILE' | 'SUPPRESSIONS_TABLE'>,
  { total, accepted, errors }: Batch,
  rows: readonly { readonly index: number; readonly message: Message }[],
  { refusals, unknownFields }: Parameters<typeof dryRunOf>[2],
): Promise<ApiResponse> {
  const table = readPrices(context.env.PRICES_FILE);
  const suppressed = await suppressedAmong(
    context,
    rows.map(({ message }) => message),
  );
  const prices = rows.map(({ message }) => expectedPrice(table, message));
  const messages = rows.map(({ index, message }, position) => {
    const { message_id, recipient, text = '', encoding, segments } = message;
    if (encoding === undefined || segments === undefined) throw new Error(`${message_id} has no segments`);
    const failure = failureOf(message, suppressed);
    const estimated_cost = costOf(prices[position], failure);
    const from = fromOf(message) ?? null;
    const ucs2 = ucs2View(table, message, text, failure);
    return { index, recipient, from, encoding, segments, ucs2, estimated_cost, ...failure };
  });
  const costs = messages.map(({ estimated_cost }) => estimated_cost).filter((cost) => cost !== null);
  const cost = costs.reduce((sum, each) => sum + Math.round(each * millionthsPerUnit), 0);
  const body: DryRunBatch = {
    dry_run: true,
    would_be_accepted: refusals.length === 0,
    total,
    accepted,
    rejected: errors.length,
    segments: messages.reduce((sum, { segments }) => sum + segments, 0),
    // If one of the prices is missing, the sum would be too low.
    estimated_cost: costs.length === messages.length ? cost / millionthsPerUnit : null,
    currency: prices.find((price) => price !== undefined)?.currency ?? null,
    messages,
    errors,
    refusals: [...refusals],
    unknown_fields: [...unknownFields],
  };
  return { status: 200, body, log: { dry_run: true, accepted, refusals: refusals.length } };
}
