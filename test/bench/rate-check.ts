/**
 * `npm run bench:rate [checks per turn] [turns]`: the rate check against rate-limiter-flexible's union of three limiters
 * (minute, hour, day), both on one DynamoDB Local, taking turns. Needs Java 17.
 */
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';
import { rateLimiter } from '../../shared/rate-limit/limiter.ts';
import { dynamoRateCounter } from '../../shared/rate-limit/rate-counter.dynamo.ts';
import { startDynamoDbLocal } from '../support/dynamodb-local.ts';
import { synthesizeTables } from '../support/synthesize-tables.ts';
import { createTables } from '../support/tables.ts';
import { countedDynamo } from './counted-dynamo.ts';
import { median, printMachine, printTable, quantile, ratio } from './figures.ts';
import { applyLoad, takeTurns } from './load.ts';

const [checks = 400, turns = 5] = process.argv.slice(2).map(Number);
/** So many that no limit is met, few enough that no counter is sharded. */
const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 10_000_000 };
const clients = 50;

printMachine(`npm run bench:rate -- ${checks} ${turns}`);
const engine = await startDynamoDbLocal();
try {
  process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
  const tables = await createTables(['rate_counters'], engine.newClient());
  const ours = countedDynamo(engine.config);
  const theirs = countedDynamo(engine.config);
  const limiter = rateLimiter({
    counter: dynamoRateCounter(ours.documents, tables.names.rate_counters),
    limitsOf: async () => limits,
    random: Math.random,
  });
  const union = await unionOfThree(theirs.client);

  const checkOurs = async (i: number): Promise<void> => {
    const subject = { kind: 'client', clientId: `client_${i % clients}` } as const;
    const { admitted } = await limiter.check(subject, 'sms_send', new Date());
    if (!admitted) throw new Error('refused below its limit');
  };
  const checkTheirs = (i: number): Promise<unknown> => union.consume(`client_${i % clients}`);
  await applyLoad(clients * 2, 8, checkOurs);
  await applyLoad(clients * 2, 8, checkTheirs);

  const rows: string[][] = [];
  for (const inFlight of [1, 8, 64]) {
    const before = { ours: { ...ours.used }, theirs: { ...theirs.used } };
    const loads = await takeTurns(
      {
        ours: () => applyLoad(checks, inFlight, checkOurs),
        theirs: () => applyLoad(checks, inFlight, checkTheirs),
      },
      turns,
    );
    const total = checks * turns;
    const row = (name: string, side: 'ours' | 'theirs', used: { calls: number; units: number }): string[] => {
      const perSecond = median(loads[side].map((load) => load.perSecond));
      const latencies = loads[side].flatMap((load) => load.latenciesMs);
      return [
        `${inFlight} in flight: ${name}`,
        ((used.calls - before[side].calls) / total).toFixed(2),
        ((used.units - before[side].units) / total).toFixed(2),
        perSecond.toFixed(0),
        quantile(latencies, 0.5).toFixed(1),
        quantile(latencies, 0.99).toFixed(1),
        ratio(perSecond / median(loads.theirs.map((load) => load.perSecond))),
      ];
    };
    rows.push(row('rate-limiter-flexible', 'theirs', theirs.used), row('gateway', 'ours', ours.used));
  }
  printTable(['', 'calls', 'write units', 'checks/s', 'p50 ms', 'p99 ms', 'ratio'], rows);
} finally {
  await engine.stop();
}

async function unionOfThree(
  storeClient: ReturnType<typeof countedDynamo>['client'],
): Promise<RateLimiterUnion> {
  const windows: readonly (readonly [string, number, number])[] = [
    ['minute', limits.perMinute, 60],
    ['hour', limits.perHour, 3600],
    ['day', limits.perDay, 86_400],
  ];
  const limiters = await Promise.all(
    windows.map(
      ([keyPrefix, points, duration]) =>
        new Promise<RateLimiterDynamo>((resolve, reject) => {
          const options = { storeClient, tableName: `flexible-${keyPrefix}`, keyPrefix, points, duration };
          const made = new RateLimiterDynamo(options, (error) => (error ? reject(error) : resolve(made)));
        }),
    ),
  );
  return new RateLimiterUnion(...limiters);
}
