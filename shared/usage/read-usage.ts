/** Sums usage rows by period and group. Periods and groups without messages are omitted. */
import { clientIdIn, type Mode } from '../contract/mode.ts';
import { millionthsPerUnit } from '../contract/rate-limits-and-caps.ts';
import { capsInForce, capUse } from '../limit/client-caps.ts';
import { type Operation, parseQuery, requireCaller } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { type Amounts, type Combination, combinationsIn } from './amounts.ts';
import { allClients } from './count-changes.ts';
import { type Grouping, type UsageRange, usageQuery, usageRange } from './usage-query.ts';
import { type UsageRow, usageRowsIn, usageRowsOf } from './usage-reader.dynamo.ts';
import type { UsageEntry, UsageResponse } from './usage-response.schema.ts';

/** Returns the usage of one client. */
export async function usageOfClient(
  context: Context<'MESSAGE_USAGE_TABLE' | 'CURRENCY'>,
  clientId: string,
  range: UsageRange,
): Promise<UsageEntry[]> {
  const names = range.periods.map(({ name }) => name);
  return entriesOf(await usageRowsOf(context, clientId, names), range, context.env.CURRENCY);
}

/** Returns the usage of all clients together, or of each client if `client` is one of the groups. */
export async function usageOfAll(
  context: Context<'MESSAGE_USAGE_TABLE' | 'CURRENCY'>,
  range: UsageRange,
  mode: Mode = 'live',
): Promise<(UsageEntry & { readonly client_id?: string })[]> {
  const all = clientIdIn(mode, allClients);
  if (!range.groupBy.includes('client')) return usageOfClient(context, all, range);
  const rows = await Promise.all(range.periods.map(({ name }) => usageRowsIn(context, name, mode)));
  const ofClients = rows.flat().filter(({ clientId }) => clientId !== all);
  return entriesOf(ofClients, range, context.env.CURRENCY);
}

function entriesOf(
  rows: readonly UsageRow[],
  { periods, groupBy }: UsageRange,
  currency: string,
): (UsageEntry & { readonly client_id?: string })[] {
  const byPeriod = Map.groupBy(rows, ({ period }) => period);
  return periods.flatMap((period) => {
    const all = (byPeriod.get(period.name) ?? []).flatMap(({ clientId, amounts }) =>
      combinationsIn(amounts).map((combination) => ({ ...combination, client: clientId })),
    );
    const groups = Map.groupBy(all, (one) => JSON.stringify(groupBy.map((name) => one[name])));
    return [...groups]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, combinations]) => {
        const sums = sumsOf(combinations, currency);
        return sums === undefined
          ? []
          : [{ ...timesOf(period), ...groupOf(combinations[0], groupBy), ...sums }];
      });
  });
}

/** Returns the values by which the usage is grouped. */
function groupOf(
  first: (Combination & { readonly client: string }) | undefined,
  groupBy: readonly Grouping[],
) {
  const of = (name: Grouping): boolean => first !== undefined && groupBy.includes(name);
  return {
    ...(of('client') ? { client_id: first?.client ?? '' } : {}),
    ...(first !== undefined && of('channel') ? { channel: first.channel } : {}),
    ...(first !== undefined && of('type') ? { type: first.type } : {}),
    ...(first !== undefined && of('country') ? { country: first.country } : {}),
    ...(first !== undefined && of('status') ? { status: first.status } : {}),
  };
}

export function timesOf({ from, to }: { readonly from: Date; readonly to: Date }) {
  return { from: from.toISOString(), to: to.toISOString() };
}

/** Returns the sums of one row. */
export function totalOf(amounts: Amounts, currency: string) {
  return sumsOf(combinationsIn(amounts), currency);
}

/**
 * Returns undefined if no messages are counted. If an edit changed a count into text, it is shown as 0; other counts are
 * not affected.
 */
function sumsOf(combinations: readonly Combination[], currency: string) {
  let [messages, segments, avoidable, delivered, failed, estimated, possibleDuplicates] = [
    0, 0, 0, 0, 0, 0, 0,
  ];
  const costs = new Map<string, number>();
  for (const { measure, status, amount } of combinations) {
    if (measure === 'messages') {
      messages += amount;
      if (status === 'delivered' || status === 'read') delivered += amount;
      if (status === 'failed') failed += amount;
    } else if (measure === 'segments') segments += amount;
    else if (measure === 'avoidable_segments') avoidable += amount;
    else if (measure === 'estimated') estimated += amount;
    else if (measure === 'possible_duplicates') possibleDuplicates += amount;
    else costs.set(measure.currency, (costs.get(measure.currency) ?? 0) + amount);
  }
  const sums = [messages, segments, avoidable, estimated, possibleDuplicates, ...costs.values()];
  if (sums.every((sum) => sum === 0)) return undefined;
  // The sums are integers, so only this division rounds.
  const others = [...costs].filter(([name, amount]) => name !== currency && amount !== 0);
  return {
    messages,
    segments,
    avoidable_segments: avoidable,
    avoidable_cost: avoidableCost(combinations, currency),
    delivered,
    failed,
    possible_duplicates: possibleDuplicates,
    cost: (costs.get(currency) ?? 0) / millionthsPerUnit,
    ...(others.length === 0
      ? {}
      : {
          other_costs: Object.fromEntries(others.map(([name, amount]) => [name, amount / millionthsPerUnit])),
        }),
    estimated: estimated > 0,
  };
}

/** Returns the cost of the avoidable segments, by the average cost of a segment in each combination. */
function avoidableCost(combinations: readonly Combination[], currency: string): number {
  const alike = Map.groupBy(combinations, ({ measure: _, amount: __, ...rest }) => JSON.stringify(rest));
  const costs = [...alike.values()].map((ofOne) => {
    const sum = (isOne: (measure: Combination['measure']) => boolean): number =>
      ofOne.reduce((all, { measure, amount }) => all + (isOne(measure) ? amount : 0), 0);
    const segments = sum((measure) => measure === 'segments');
    const cost = sum((measure) => typeof measure === 'object' && measure.currency === currency);
    return segments === 0 ? 0 : (cost * sum((measure) => measure === 'avoidable_segments')) / segments;
  });
  return Math.round(costs.reduce((all, cost) => all + cost, 0)) / millionthsPerUnit;
}

/** GET /api/v1/account/usage: shows the client's messages, and how much of its caps is used (contract, section 11). */
export function showUsage(
  context: Context<
    'MESSAGE_USAGE_TABLE' | 'CURRENCY' | 'RATE_COUNTERS_TABLE' | 'LIMIT_OVERRIDES_TABLE' | 'STAGE_CAPS'
  >,
): Operation {
  return async (request) => {
    const { now } = request;
    const { clientId } = requireCaller(request);
    const range = usageRange(parseQuery(usageQuery, request), now);
    const [usage, caps] = await Promise.all([
      usageOfClient(context, clientId, range),
      capsInForce(context, clientId).then((limits) => capUse(context, { clientId, limits, now })),
    ]);
    const body: UsageResponse = { currency: context.env.CURRENCY, usage, caps };
    return { status: 200, body };
  };
}
