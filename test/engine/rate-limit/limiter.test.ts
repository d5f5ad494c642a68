/** What the limiter guarantees on any engine that is DynamoDB. */
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkRate, type Decision, retryAfterSeconds, type Subject } from '../../../shared/limit/limiter.ts';
import { type LimitsInForce, limitsOf, parseRow } from '../../../shared/limit/overrides.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { watchCalls } from '../../support/engine/watch-calls.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');

describe('the limiter', () => {
  let tables: TestTables;
  let dynamo: DynamoDBDocumentClient;
  let counters: string;
  let overrides: string;
  let clients = 0;

  beforeAll(async () => {
    tables = await createTables(['rate_counters', 'limit_overrides']);
    dynamo = tables.dynamo;
    counters = tables.names.rate_counters;
    overrides = tables.names.limit_overrides;
  });
  afterAll(() => tables.drop());

  const newClient = (): string => {
    clients += 1;
    return `client_${clients}`;
  };
  /** A process of its own: it remembers nothing of what another saw. */
  const limiterWith = (limits: LimitsInForce) => {
    const context = testContext(tables);
    return (subject: Subject, now: Date) => checkRate(context, subject, 'sms_send', limits, now);
  };
  type Limiter = ReturnType<typeof limiterWith>;
  const check = (limiter: Limiter, clientId: string, now: Date): Promise<Decision> =>
    limiter({ kind: 'client', clientId }, now);
  const checkMany = (limiters: readonly Limiter[], clientId: string, times: number, now: Date) =>
    Promise.all(
      Array.from({ length: times }, (_, i) => {
        const limiter = limiters[i % limiters.length];
        if (limiter === undefined) throw new Error('no limiter');
        return check(limiter, clientId, now);
      }),
    );
  const admittedOf = (decisions: readonly Decision[]): Decision[] => decisions.filter((d) => d.admitted);
  const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };

  describe('under concurrency', () => {
    it('admits exactly the limit of 500 requests at once, each with its own number left', async () => {
      const processes = Array.from({ length: 20 }, () => limiterWith(limits));
      const admitted = admittedOf(await checkMany(processes, newClient(), 500, noon));
      const left = admitted.map((decision) => decision.binding.remaining).toSorted((a, b) => a - b);
      expect(left).toEqual(Array.from({ length: 60 }, (_, i) => i));
    });
  });

  describe('the windows', () => {
    it.each([
      ['hour', { perMinute: 60, perHour: 7, perDay: 100 }, 60, 3600],
      ['day', { perMinute: 60, perHour: 50, perDay: 7 }, 3600, 86_400],
    ] as const)(
      'a full %s refuses until it resets, though the minute has room',
      async (window, full, later, reset) => {
        const client = newClient();
        expect(admittedOf(await checkMany([limiterWith(full)], client, 9, noon))).toHaveLength(7);
        const refused = await check(limiterWith(full), client, addSeconds(noon, later));
        const midnight = new Date('2026-11-20T00:00:00.000Z');
        const resetsAt = (window === 'hour' ? noon : midnight).getTime() / 1000 + reset;
        expect(refused).toMatchObject({ admitted: false, binding: { window, remaining: 0, resetsAt } });
        expect((await check(limiterWith(full), client, new Date(resetsAt * 1000))).admitted).toBe(true);
      },
    );

    it('a refused request counts in no window', async () => {
      const client = newClient();
      const tight = { perMinute: 2, perHour: 3, perDay: 10 };
      await checkMany([limiterWith(tight), limiterWith(tight)], client, 20, noon);
      const next = await check(limiterWith(tight), client, addSeconds(noon, 60));
      expect(next.windows.map((state) => state.remaining)).toEqual([1, 0, 7]);
    });

    it('the last millisecond of a minute and the first of the next are counted apart', async () => {
      const client = newClient();
      const one = { perMinute: 1, perHour: 10, perDay: 10 };
      const edge = new Date('2026-11-20T12:00:59.999Z');
      const limiter = limiterWith(one);
      expect((await check(limiter, client, edge)).admitted).toBe(true);
      const refused = await check(limiter, client, edge);
      expect(refused.admitted).toBe(false);
      expect(retryAfterSeconds(refused, edge)).toBe(1);
      expect((await check(limiter, client, new Date(edge.getTime() + 1))).admitted).toBe(true);
    });

    it('a process whose clock is 4 minutes ahead takes nothing away from a live count', async () => {
      const client = newClient();
      const tight = { perMinute: 5, perHour: 100, perDay: 100 };
      await checkMany([limiterWith(tight)], client, 5, noon);
      await check(limiterWith(tight), client, addSeconds(noon, 240));
      expect((await check(limiterWith(tight), client, noon)).admitted).toBe(false);
    });
  });

  it('a number in a row that is too large to be exact breaks no request', async () => {
    const client = newClient();
    await dynamo.send(
      new UpdateCommand({
        TableName: overrides,
        Key: { client_id: client, endpoint: 'POST /api/v1/sms/send' },
        UpdateExpression: 'SET per_minute = :n, per_hour = :h',
        ExpressionAttributeValues: { ':n': BigInt('99999999999999999999999999'), ':h': 1500 },
      }),
    );
    const context = testContext(tables, { clock: () => noon });
    expect(await limitsOf(context, client, 'sms_send')).toEqual({ ...limits, perHour: 1500 });
  });

  it('a check is one call that consumes one write unit, refused or not', async () => {
    const client = newClient();
    const watched = watchCalls(dynamo);
    const limiter = limiterWith({ ...limits, perMinute: 1 });
    await check(limiter, client, noon);
    expect(watched.calls).toEqual(['UpdateItemCommand', '1']);
    await check(limiter, client, noon);
    expect(watched.calls).toHaveLength(3);
    // Now the refusal is remembered.
    await check(limiter, client, noon);
    expect(watched.calls).toHaveLength(3);
    watched.stop();
  });

  describe('a row that observes', () => {
    const observing = (row: object) => ({
      ...limits,
      observed: parseRow({ client_id: 'any', endpoint: 'POST /api/v1/sms/send', mode: 'observe', ...row }),
    });
    const refusedOf = async (client: string) => {
      const Key = { counter: `${client}|POST /api/v1/sms/send|2026-11-20` };
      const { Item = {} } = await dynamo.send(
        new GetCommand({ TableName: counters, Key, ConsistentRead: true }),
      );
      return Item.observed_refused;
    };

    it.each([
      ['minute', { per_minute: 10, per_hour: 40 }, 50],
      ['hour', { per_minute: 55, per_hour: 7 }, 53],
      ['block', { blocked: true }, 60],
    ])('counts exactly the admitted requests above its numbers: %s', async (_what, row, refused) => {
      const client = newClient();
      const processes = Array.from({ length: 5 }, () => limiterWith(observing(row)));
      const admitted = admittedOf(await checkMany(processes, client, 70, noon));
      // The limits that are enforced decide, and are in the headers.
      expect(admitted).toHaveLength(limits.perMinute);
      expect(admitted.every(({ binding }) => binding.limit === limits.perMinute)).toBe(true);
      expect(await refusedOf(client)).toBe(refused);
    });

    it('costs a write only for a request above its numbers, which passes even if the write fails', async () => {
      const client = newClient();
      const watched = watchCalls(dynamo);
      const limiter = limiterWith(observing({ per_minute: 1 }));
      await check(limiter, client, noon);
      expect(watched.calls).toEqual(['UpdateItemCommand', '1']);
      await check(limiter, client, noon);
      expect(watched.calls).toHaveLength(6);
      watched.stop();
      const failing = withCalls(testContext(tables), async ({ input }, run) => {
        if (String(input.UpdateExpression).includes('observed_refused')) throw new Error('no table');
        return run();
      });
      const subject = { kind: 'client', clientId: client } as const;
      const checked = checkRate(failing, subject, 'sms_send', observing({ per_minute: 1 }), noon);
      expect(await checked).toMatchObject({ admitted: true });
    });
  });

  it('a counter row has a TTL of two days after its day', async () => {
    const client = newClient();
    await check(limiterWith(limits), client, noon);
    const Key = { counter: `${client}|POST /api/v1/sms/send|2026-11-20` };
    const { Item = {} } = await dynamo.send(new GetCommand({ TableName: counters, Key }));
    expect(Item.purge_at).toBe(Date.parse('2026-11-23T00:00:00Z') / 1000);
    expect(Object.keys(Item).toSorted()).toEqual(['counter', 'd20', 'h2012', 'm201200', 'purge_at']);
  });
});
