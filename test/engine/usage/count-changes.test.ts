/** Usage equals the messages, whatever the stream repeats and wherever workers die, on the real tables. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message, Status } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-row.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { type Interval, periodsBetween } from '../../../shared/usage/period.ts';
import { usageOfAll, usageOfClient } from '../../../shared/usage/read-usage.ts';
import type { UsageRange } from '../../../shared/usage/usage-query.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Kill, Killed, noKill } from '../../support/faults/kill-process.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { usageCounter } from '../../support/usage/count-usage.ts';
import { usageOfMessages } from '../../support/usage/usage-of-messages.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['message_usage', 'count_journal']);
});
afterAll(() => tables.drop());

const context = () => testContext(tables);
let minutes = 0;

/** Each call is a minute after the one before: what a worker had begun that died is taken over at once. */
function count(records: readonly StreamRecord[], kill: Kill = noKill()) {
  minutes += 1;
  return usageCounter(tables, { start: addSeconds(new Date(), minutes * 60), kill })(records);
}

let months = 0;
/** Each test has a month of its own, so that the sums of all clients are its own too. */
function newMonth(): Date {
  months += 1;
  return new Date(Date.UTC(2030, months, 1));
}

/** The ways of a message: the rows that it has one after the other. */
const ways: readonly (readonly Status[])[] = [
  ['queued'],
  ['scheduled', 'canceled'],
  ['queued', 'sending', 'sent', 'delivered'],
  ['scheduled', 'queued', 'sending', 'sent', 'delivered', 'read'],
  ['queued', 'sending', 'failed'],
  ['queued', 'sending', 'sent', 'failed', 'delivered'],
  ['queued', 'sending', 'sent', 'expired'],
];

const aWay = fc.record({
  statuses: fc.constantFrom(...ways),
  client: fc.constantFrom('client-a', 'client-b', 'client-c'),
  channel: fc.constantFrom('sms' as const, 'whatsapp' as const),
  type: fc.constantFrom('transactional' as const, 'promotional' as const),
  country: fc.constantFrom('GB', 'US', undefined),
  segments: fc.integer({ min: 1, max: 4 }),
  /** In seconds after the start. */
  acceptedAt: fc.integer({ min: 0, max: 3 * 86_400 }),
  /** Hundred-thousandths: prices have five decimals, which binary fractions have not. */
  estimate: fc.integer({ min: 0, max: 99_999 }),
  reported: fc.option(fc.integer({ min: 0, max: 99_999 }), { nil: undefined }),
  /** Whether a person spoils the row and then corrects it. */
  spoilt: fc.boolean(),
});
type Way = typeof aWay extends fc.Arbitrary<infer Value> ? Value : never;

function rowsOf(way: Way, start: Date, number: number): Message[] {
  const at = addSeconds(start, way.acceptedAt).toISOString();
  const first = aMessage({
    message_id: `msg_${number}`,
    client_id: way.client,
    channel: way.channel,
    type: way.type,
    ...(way.country === undefined ? {} : { country: way.country }),
    ...(way.channel === 'sms' ? { segments: way.segments } : {}),
    created_at: at,
  });
  const rows: Message[] = [];
  for (const status of way.statuses) {
    const { error_code: _code, ...before } = rows.at(-1) ?? first;
    const costed = status === 'sent' ? { cost: way.estimate / 100_000, currency: 'USD' } : {};
    const final = status === 'delivered' || (status === 'failed' && way.statuses.includes('sent'));
    const reported =
      final && way.reported !== undefined
        ? { cost: way.reported / 100_000, currency: 'USD', cost_reported: true }
        : {};
    const error = status === 'failed' || status === 'expired' ? { error_code: 'carrier_rejected' } : {};
    rows.push({ ...before, ...costed, ...reported, ...error, status });
  }
  return rows;
}

type Image = Record<string, AttributeValue>;
let events = 0;

/** The records of these rows, in the order of a stream; a row that is written again unchanged has one too. */
function recordsOf(rows: readonly Message[], spoilt: boolean, changedAt: Date): StreamRecord[] {
  const images = rows.map((row) => marshall(messageRowOf(row, 30), { removeUndefinedValues: true }) as Image);
  const last = images.at(-1) ?? {};
  if (spoilt) images.push({ ...last, status: { S: 'lost' } }, last);
  return images.map((image, index) => {
    events += 1;
    return {
      dynamodb: {
        SequenceNumber: String(events),
        ApproximateCreationDateTime: epochSeconds(addSeconds(changedAt, index * 20)),
        ...(index === 0 ? {} : { OldImage: images[index - 1] }),
        NewImage: image,
      },
    };
  });
}

const rangeOf = (interval: Interval, start: Date, groupBy: UsageRange['groupBy'] = []): UsageRange => ({
  interval,
  groupBy,
  periods: periodsBetween(interval, start, addSeconds(start, 4 * 86_400), 1000) ?? [],
});

const keyOf = (parts: readonly unknown[]): string => JSON.stringify(parts);

/** Usage by every group and interval, for each client and for all, against the rows of the messages. */
async function expectUsageOf(messages: readonly Message[], start: Date): Promise<void> {
  const groups = ['channel', 'type', 'country', 'status'] as const;
  const statusOf = ({ status }: Message) => (status === 'sending' ? 'queued' : status);
  for (const [interval, digits] of [
    ['hour', 13],
    ['day', 10],
    ['month', 7],
  ] as const) {
    const range = rangeOf(interval, start, groups);
    const expected = usageOfMessages(messages, (one) =>
      keyOf([one.created_at.slice(0, digits), one.channel, one.type, one.country ?? null, statusOf(one)]),
    );
    const all = await usageOfAll(context(), range);
    const found = all.map(({ from, to: _to, channel, type, country, status, ...sums }) => [
      keyOf([from.slice(0, digits), channel, type, country, status]),
      sums,
    ]);
    expect(Object.fromEntries(found)).toEqual(expected);
    const byClient = await usageOfAll(context(), rangeOf(interval, start, ['client']));
    const foundByClient = byClient.map(({ from, to: _to, client_id, ...sums }) => [
      keyOf([from.slice(0, digits), client_id]),
      sums,
    ]);
    expect(Object.fromEntries(foundByClient)).toEqual(
      usageOfMessages(messages, (one) => keyOf([one.created_at.slice(0, digits), one.client_id])),
    );
  }
  for (const clientId of new Set(messages.map(({ client_id }) => client_id))) {
    const own = await usageOfClient(context(), clientId, rangeOf('day', start));
    const found = own.map(({ from, to: _to, ...sums }) => [from.slice(0, 10), sums]);
    const mine = messages.filter(({ client_id }) => client_id === clientId);
    expect(Object.fromEntries(found)).toEqual(usageOfMessages(mine, (one) => one.created_at.slice(0, 10)));
  }
}

/** A delivery of the stream: some records from a place on, perhaps to a worker that dies at one of its calls. */
const aDelivery = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  killAt: fc.integer({ min: 0, max: 40 }),
  when: fc.constantFrom('before' as const, 'after' as const),
  /** Whether it runs while the one before still does. */
  together: fc.boolean(),
});

async function deliver(
  records: readonly StreamRecord[],
  deliveries: readonly (typeof aDelivery extends fc.Arbitrary<infer Value> ? Value : never)[],
): Promise<void> {
  let running: Promise<unknown>[] = [];
  // A stream passes no record before it has passed all that precede it, successfully.
  let passed = 0;
  for (const { from, length, killAt, when, together } of deliveries) {
    const start = Math.floor(from * (passed + 1));
    const batch = records.slice(start, start + length);
    const work = count(batch, { at: killAt, when, calls: 0 }).then(
      () => {
        passed = Math.max(passed, start + batch.length);
      },
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      },
    );
    running.push(work);
    if (together) continue;
    await Promise.all(running);
    running = [];
  }
  await Promise.all(running);
}

describe('usage', () => {
  it('equals the messages after batches that are cut differently, repeated, concurrent and cut off by deaths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aWay, { minLength: 1, maxLength: 25 }),
        fc.array(aDelivery, { maxLength: 12 }),
        fc.integer({ min: 1, max: 60 }),
        async (messageWays, deliveries, batchSize) => {
          const start = newMonth();
          const rows = messageWays.map((way, number) => rowsOf(way, start, number));
          const records = rows.flatMap((ofOne, number) =>
            recordsOf(ofOne, messageWays[number]?.spoilt ?? false, addSeconds(start, number * 7)),
          );
          await deliver(records, deliveries);
          // In the end the stream delivers each record to a worker that lives.
          for (let from = 0; from < records.length; from += batchSize)
            await count(records.slice(from, from + batchSize));
          await expectUsageOf(
            rows.flatMap((ofOne) => ofOne.at(-1) ?? []),
            start,
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  it('equals the messages wherever a worker dies, before or after the call took effect', async () => {
    let died = 0;
    for (const when of ['before', 'after'] as const) {
      for (let at = 0; ; at += 1) {
        const start = newMonth();
        const rows = rowsOf(exampleWay, start, at);
        const records = recordsOf(rows, false, start);
        const outcome = await count(records, { at, when, calls: 0 }).catch((error: unknown) => error);
        const killed = outcome instanceof Killed;
        if (killed) died += 1;
        await count(records);
        await expectUsageOf(rows.slice(-1), start);
        if (!killed) break;
      }
    }
    // Position, note, latest addition, notes, begin, two calls for each of six rows, delete, end: before and after each.
    expect(died).toBe(2 * 19);
  });

  it('counts the difference where the figure of the carrier replaces the estimate', async () => {
    const start = newMonth();
    const rows = rowsOf({ ...exampleWay, estimate: 420, reported: 1337 }, start, 1);
    const records = recordsOf(rows, false, start);
    await count(records.slice(0, 3));
    expect(await usageOfClient(context(), 'client-a', rangeOf('month', start))).toMatchObject([
      { cost: 0.0042, estimated: true },
    ]);
    await count(records.slice(3));
    expect(await usageOfClient(context(), 'client-a', rangeOf('month', start))).toMatchObject([
      { cost: 0.01337, estimated: false },
    ]);
  });

  it('shows costs in another currency apart', async () => {
    const start = newMonth();
    const rows = rowsOf(exampleWay, start, 1).map((row) => ({ ...row, currency: 'EUR' }));
    await count(recordsOf(rows, false, start));
    expect(await usageOfClient(context(), 'client-a', rangeOf('month', start))).toMatchObject([
      { cost: 0, other_costs: { EUR: 0.0042 } },
    ]);
  });

  it('splits what no transaction takes: many clients, and many countries of one client', async () => {
    const start = newMonth();
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const rows = Array.from({ length: 400 }, (_, n) =>
      rowsOf(exampleWay, start, n).map((row) => ({
        ...row,
        client_id: n < 100 ? `client-${n}` : 'client-wide',
        country: `${letters[n % 26]}${letters[Math.floor(n / 26)]}`,
      })),
    );
    const records = rows.flatMap((ofOne) => recordsOf(ofOne, false, start));
    const counted = await count(records);
    // `sending` is queued still, so three of the four records of each message count.
    expect(counted).toEqual({ counted: 1200, repeated: 0 });
    expect(await count(records)).toEqual({ counted: 0, repeated: 1200 });
    await expectUsageOf(
      rows.flatMap((ofOne) => ofOne.at(-1) ?? []),
      start,
    );
  });

  it('keeps what it counted when messages are deleted, and takes no row that would stop the counting', async () => {
    const start = newMonth();
    const rows = rowsOf(exampleWay, start, 1);
    const records = recordsOf(rows, false, start);
    const { NewImage } = records.at(-1)?.dynamodb ?? {};
    const image = NewImage as Image;
    const spoilt = [
      { ...image, client_id: { S: '*' } },
      { ...image, client_id: { S: '' } },
      { ...image, cost: { N: '9'.repeat(38) } },
      { ...image, segments: { N: '0.5' } },
      { ...image, currency: { S: 'x'.repeat(70_000) } },
      { ...image, created_at: { S: 'yesterday' } },
    ].map((NewImage, index) => ({
      dynamodb: {
        SequenceNumber: String(events + 1 + index),
        ApproximateCreationDateTime: epochSeconds(start),
        NewImage,
      },
    }));
    const removed = {
      dynamodb: { SequenceNumber: '1', ApproximateCreationDateTime: epochSeconds(start), OldImage: image },
    };
    await count([...records, ...spoilt, removed]);
    await expectUsageOf(rows.slice(-1), start);
  });
});

const exampleWay: Way = {
  statuses: ['queued', 'sending', 'sent', 'delivered'],
  client: 'client-a',
  channel: 'sms',
  type: 'transactional',
  country: 'GB',
  segments: 2,
  acceptedAt: 60,
  estimate: 420,
  reported: undefined,
  spoilt: false,
};
