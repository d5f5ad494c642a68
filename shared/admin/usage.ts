/** Shows administrators the usage of all clients, by client, and for one period of the dashboard. */
import * as z from 'zod/mini';
import { findClient } from '../client/client-store.dynamo.ts';
import { messageOfErrorCode } from '../contract/message-error-codes.ts';
import { clientIdIn } from '../contract/mode.ts';
import { addDays } from '../platform/clock.ts';
import { type Amounts, combinationsIn, errorCodesIn } from '../usage/amounts.ts';
import { allClients } from '../usage/count-changes.ts';
import { intervals, periodAt, periodsBetween } from '../usage/period.ts';
import { timesOf, totalOf, usageOfAll, usageOfClient } from '../usage/read-usage.ts';
import type { UsageList } from '../usage/usage-csv.ts';
import { type UsageRange, usageMoment, usageRange } from '../usage/usage-query.ts';
import { usageRowsIn } from '../usage/usage-reader.dynamo.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf, readClientNames } from './find-client.ts';

export async function listUsage(
  ctx: AdminContext,
  client: string | undefined,
  range: UsageRange,
): Promise<UsageList> {
  const currency = ctx.env.CURRENCY;
  if (client === undefined) {
    const entries = await usageOfAll(ctx, range, ctx.mode);
    return {
      currency,
      usage: range.groupBy.includes('client') ? await withNames(ctx, entries) : entries,
    };
  }
  const clientId = await clientIdOf(ctx, client);
  const entries = await usageOfClient(ctx, clientId, range);
  if (!range.groupBy.includes('client')) return { currency, usage: entries };
  const ofClient = entries.map((entry) => ({ ...entry, client_id: clientId }));
  return { currency, usage: await withNames(ctx, ofClient) };
}

async function withNames(ctx: AdminContext, entries: UsageList['usage']): Promise<UsageList['usage']> {
  if (entries.length === 0) return [];
  const nameOf = await readClientNames(ctx);
  return entries.map((entry) => ({ ...entry, client_name: nameOf(entry.client_id ?? '') ?? null }));
}

const shownMax = 20;

const summaryIntervals = [...intervals, 'week'] as const;

/** The hour, day, week or month of a time, now by default; or the UTC days from `since` to `until` (exclusive). */
export const usageSummaryQuery = z.object({
  interval: z._default(z.enum(summaryIntervals), 'day'),
  at: z.optional(usageMoment),
  since: z.optional(usageMoment),
  until: z.optional(usageMoment),
});

/**
 * Sums up all clients. An hour, a day or a month takes one query. A week that starts on Monday, or another range of days,
 * takes a query for each day.
 *
 * @throws GatewayError if there are too many days
 */
export async function summarizeUsage(
  ctx: AdminContext,
  time:
    | { readonly interval: (typeof summaryIntervals)[number]; readonly at: Date }
    | { readonly since: Date; readonly until: Date },
) {
  const {
    env: { CURRENCY: currency },
    mode,
  } = ctx;
  const { from, to, counted } = 'at' in time ? summarizedAt(time.interval, time.at) : daysOf(time);
  const rows = (await Promise.all(counted.map(({ name }) => usageRowsIn(ctx, name, mode)))).flat();
  const byClient = new Map(
    [...Map.groupBy(rows, ({ clientId }) => clientId)].map(([clientId, ofClient]) => [
      clientId,
      sumOf(ofClient.map(({ amounts }) => amounts)),
    ]),
  );
  const all = byClient.get(clientIdIn(mode, allClients)) ?? new Map<string, number>();
  const ofClients = [...byClient]
    .filter(([clientId]) => clientId !== clientIdIn(mode, allClients))
    .flatMap(([client_id, amounts]) => {
      const sums = withRate(amounts, currency);
      return sums === null ? [] : [{ client_id, ...sums }];
    })
    .toSorted((one, other) => other.messages - one.messages)
    .slice(0, shownMax);
  return {
    ...timesOf({ from, to }),
    currency,
    total: withRate(all, currency),
    /** Clients with the most messages first. */
    top_clients: await Promise.all(
      ofClients.map(async (sums) => ({
        ...sums,
        /** Null if the client no longer exists. */
        name: (await findClient(ctx, sums.client_id))?.name ?? null,
      })),
    ),
    error_codes: countedErrorCodes([all]).slice(0, shownMax),
  };
}

/** Counts the messages with each error code, the most frequent code first. */
export function countedErrorCodes(amounts: readonly Amounts[]) {
  const counts = sumOf(amounts.map((each) => new Map(errorCodesIn(each))));
  return [...counts]
    .map(([error_code, messages]) => ({
      error_code,
      /** Null if this release does not know the error code. */
      meaning: messageOfErrorCode(error_code),
      messages,
    }))
    .toSorted((one, other) => other.messages - one.messages);
}

/** Returns the time to summarize, and the periods whose rows add up to it. */
function summarizedAt(interval: (typeof summaryIntervals)[number], at: Date) {
  if (interval !== 'week') {
    const period = periodAt(interval, at);
    return { ...period, counted: [period] };
  }
  const today = periodAt('day', at).from;
  const from = addDays(today, -((today.getUTCDay() + 6) % 7));
  const to = addDays(from, 7);
  return { from, to, counted: periodsBetween('day', from, to, 7) ?? [] };
}

function daysOf({ since, until }: { readonly since: Date; readonly until: Date }) {
  const { periods } = usageRange({ since, until, interval: 'day', group_by: ['client'] }, until);
  return { from: periods[0]?.from ?? since, to: periods.at(-1)?.to ?? until, counted: periods };
}

function sumOf(all: readonly Amounts[]): Amounts {
  const sums = new Map<string, number>();
  for (const [name, amount] of all.flatMap((amounts) => [...amounts])) {
    sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return sums;
}

function withRate(amounts: Amounts, currency: string) {
  const sums = totalOf(amounts, currency);
  if (sums === undefined) return null;
  const { delivered = 0, read = 0, failed = 0, expired = 0 } = statusCounts(amounts);
  const final = delivered + read + failed + expired;
  return {
    ...sums,
    /**
     * The number of delivered messages divided by the number of delivered, failed and expired messages, from 0 to 1; null if
     * there are none.
     */
    delivery_rate: final === 0 ? null : (delivered + read) / final,
  };
}

function statusCounts(amounts: Amounts): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { measure, status, amount } of combinationsIn(amounts)) {
    if (measure === 'messages') counts[status] = (counts[status] ?? 0) + amount;
  }
  return counts;
}
