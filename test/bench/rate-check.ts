/**
 * `npm run bench:rate [checks per turn] [turns]`: the rate check against rate-limiter-flexible's union of three limiters
 * (minute, hour, day), both on one DynamoDB Local, taking turns. Needs Java 17.
 */
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
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
process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
const tables = await createTables(['rate_counters'], engine.newClient());
const ours = countedDynamo(engine.config);
const theirs = countedDynamo(engine.config);
try {
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

  await showShards();
} finally {
  await engine.stop();
}

/** A client above 30,000 a minute counts on several rows: none takes more than its part of the writes. */
async function showShards(): Promise<void> {
  const perMinute = 240_000;
  const sharded = rateLimiter({
    counter: dynamoRateCounter(ours.documents, tables.names.rate_counters),
    limitsOf: async () => ({ ...limits, perMinute, perHour: perMinute * 60, perDay: perMinute * 1440 }),
    random: Math.random,
  });
  const subject = { kind: 'client', clientId: 'sharded' } as const;
  const before = ours.used.calls;
  const total = checks * turns;
  const { perSecond } = await applyLoad(total, 64, () => sharded.check(subject, 'sms_send', new Date()));
  const calls = (ours.used.calls - before) / total;
  const { Items = [] } = await ours.documents.send(
    new ScanCommand({ TableName: tables.names.rate_counters }),
  );
  const counts = Items.filter(({ counter }) => String(counter).startsWith('sharded|')).map(({ d }) =>
    Number(d),
  );
  const sum = counts.reduce((all, count) => all + count, 0);
  const busiest = ((Math.max(...counts) / sum) * 100).toFixed(1);
  console.log(
    `\nOne client of ${perMinute.toLocaleString('en')} a minute, 64 in flight: ${perSecond.toFixed(0)} checks/s, ` +
      `${calls.toFixed(2)} calls each, on ${counts.length} rows; the busiest took ${busiest} %; counted ${sum} of ${total}`,
  );
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
