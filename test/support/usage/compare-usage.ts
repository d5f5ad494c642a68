/** Holds usage against the rows of the messages: every sum of every hour, day and month, and the error codes. */
import type { Message } from '../../../shared/message/message.ts';
import { errorCodesIn } from '../../../shared/usage/amounts.ts';
import { allClients } from '../../../shared/usage/count-changes.ts';
import { intervals, type Period, periodAt } from '../../../shared/usage/period.ts';
import { usageOfAll } from '../../../shared/usage/read-usage.ts';
import type { UsageReader } from '../../../shared/usage/usage-counter.dynamo.ts';
import type { Grouping } from '../../../shared/usage/usage-query.ts';
import { usageOfMessages } from './usage-of-messages.ts';

interface Compared {
  /** How many sums the messages have. */
  readonly sums: number;
  readonly costMillionths: number;
  /** A sentence for each sum that is not that of its messages. */
  readonly faults: readonly string[];
}

const groupings = {
  client: ['client'],
  combination: ['channel', 'type', 'country', 'status'],
} as const satisfies Record<string, readonly Grouping[]>;

export async function compareUsage(usage: UsageReader, messages: readonly Message[]): Promise<Compared> {
  const faults: string[] = [];
  let sums = 0;

  function compare(what: string, expected: Readonly<Record<string, unknown>>, found: Map<string, unknown>) {
    sums += Object.keys(expected).length;
    for (const key of new Set([...Object.keys(expected), ...found.keys()])) {
      const [one, other] = [JSON.stringify(expected[key]), JSON.stringify(found.get(key))];
      if (one !== other)
        faults.push(`usage of ${what} ${key}: ${other ?? 'nothing'}, but the messages are ${one ?? 'none'}`);
    }
  }

  for (const interval of intervals) {
    const periods = Map.groupBy(messages, ({ created_at }) => periodAt(interval, new Date(created_at)).name);
    for (const [name, some] of periods) {
      const period = periodAt(interval, new Date(some[0]?.created_at ?? ''));
      for (const groupBy of Object.values(groupings)) {
        const found = await foundIn(usage, interval, period, groupBy);
        const expected = usageOfMessages(some, (one) => keyOf(groupBy, groupsOf(one)));
        compare(name, expected, found);
      }
      const coded = some.flatMap(({ error_code }) => error_code ?? []);
      const codes = Map.groupBy(coded, (code) => code);
      const [all] = await usage.rowsOf(allClients, [name]);
      compare(
        `${name}, error`,
        Object.fromEntries([...codes].map(([code, { length }]) => [code, length])),
        errorCodesIn(all?.amounts ?? new Map()),
      );
    }
  }
  const { cost = 0 } = usageOfMessages(messages, () => 'all').all ?? {};
  return { sums, costMillionths: Math.round(cost * 1e6), faults };
}

async function foundIn(
  usage: UsageReader,
  interval: (typeof intervals)[number],
  period: Period,
  groupBy: readonly Grouping[],
): Promise<Map<string, unknown>> {
  const entries = await usageOfAll(usage, { interval, periods: [period], groupBy }, 'USD');
  return new Map(
    entries.map(({ from: _from, to: _to, client_id, channel, type, country, status, ...sums }) => [
      keyOf(groupBy, { client: client_id, channel, type, country, status }),
      sums,
    ]),
  );
}

type Groups = Readonly<Record<Grouping, unknown>>;

const groupsOf = ({ client_id, channel, type, country, status }: Message): Groups => ({
  client: client_id,
  channel,
  type,
  country: country ?? null,
  status: status === 'sending' ? 'queued' : status,
});

function keyOf(groupBy: readonly Grouping[], groups: Groups): string {
  return groupBy.map((name) => groups[name] ?? 'unknown').join(' ');
}
