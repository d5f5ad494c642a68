/** Many messages on a stream that repeats, cuts anew and overlaps its batches, read by workers that die. */
import { expect, it } from '@jest/globals';
import type { Message, Status } from '../../../shared/message/message.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { errorCodesIn } from '../../../shared/usage/amounts.ts';
import { allClients } from '../../../shared/usage/count-changes.ts';
import { intervals, type Period, periodAt } from '../../../shared/usage/period.ts';
import { usageOfAll } from '../../../shared/usage/read-usage.ts';
import type { Grouping } from '../../../shared/usage/usage-query.ts';
import type { UsageReader } from '../../../shared/usage/usage-reader.dynamo.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { type Kill, Killed, noKill } from '../../support/faults/kill-process.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { streamRecords } from '../../support/message/stream-records.ts';
import { usageCounter } from '../../support/usage/count-usage.ts';
import { usageOfMessages } from '../../support/usage/usage-of-messages.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const messagesMax = 2000;

const way: readonly Status[] = ['queued', 'sending', 'sent', 'delivered'];
const other: readonly Status[] = ['queued', 'sending', 'failed'];

it('leaves the usage that the messages have', async () => {
  const random = randomFrom(20261122);
  let at = start;
  const stream = streamRecords(() => addSeconds(at, 5), random);
  const { usage, tables } = inMemoryStores();
  const records: StreamRecord[] = [];
  const messages: Message[] = [];
  for (let n = 0; n < messagesMax; n += 1) {
    at = addSeconds(start, n * 3);
    let before: Message | undefined;
    for (const status of random() < 0.8 ? way : other) {
      const cost =
        status === 'sent'
          ? { cost: 0.0042, currency: 'USD' }
          : status === 'delivered' && random() < 0.7
            ? { cost: Math.floor(random() * 1e5) / 1e5, currency: 'USD', cost_reported: true }
            : {};
      const first = aMessage({
        message_id: `msg_${n}`,
        client_id: `client-${n % 7}`,
        country: n % 3 === 0 ? 'US' : 'GB',
        segments: 1 + (n % 3),
        created_at: at.toISOString(),
      });
      const after: Message = { ...(before ?? first), ...cost, status };
      records.push(...stream.change(before, after));
      before = after;
    }
    if (before !== undefined) messages.push(before);
  }

  const counted = async (from: number, length: number, kill: Kill): Promise<boolean> => {
    try {
      const isLast = random() < 0.2;
      await usageCounter(tables, { start, kill })(records.slice(from, from + length), { isLast });
      return true;
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  };
  let repeated = 0;
  for (let from = 0; from < records.length; ) {
    const length = 1 + Math.floor(random() * 200);
    const kill: Kill = {
      at: random() < 0.7 ? Math.floor(random() * 12) : -1,
      when: random() < 0.5 ? 'before' : 'after',
      calls: 0,
    };
    // An earlier worker that still runs has some of the same records, cut elsewhere.
    const earlier = counted(Math.max(0, from - 150), 1 + Math.floor(random() * 300), noKill());
    const [done] = await Promise.all([counted(from, length, kill), earlier]);
    if (done) from += length;
    else repeated += 1;
  }
  await usageCounter(tables, { start })([]);
  expect(repeated).toBeGreaterThan(10);
  expect(tables.rows('count_journal').map(({ entry }) => entry)).toEqual(['position#shard-1', 'addition']);
  expect(await faultsOf(usage, messages)).toEqual([]);
});

const groupings = {
  client: ['client'],
  combination: ['channel', 'type', 'country', 'status'],
} as const satisfies Record<string, readonly Grouping[]>;

/** A sentence for each sum of an hour, day or month, and for each error code, that is not that of the rows of the messages. */
async function faultsOf(usage: UsageReader, messages: readonly Message[]): Promise<readonly string[]> {
  const faults: string[] = [];

  function compare(what: string, expected: Readonly<Record<string, unknown>>, found: Map<string, unknown>) {
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
  return faults;
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
