/**
 * `npm run bench -- rate-check [checks per slice] [slices]`: the rate check against rate-limiter-flexible's union of three
 * limiters (minute, hour, day), both on one DynamoDB Local, taking turns. Needs Java 17.
 */
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';
import { perMinuteMax } from '../../shared/contract/rate-limits-and-caps.ts';
import { checkRate } from '../../shared/limit/limiter.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { type Counted, countedDynamo } from '../support/engine/counted-dynamo.ts';
import { startDynamoDbLocal } from '../support/engine/dynamodb-local.ts';
import { synthesizeTables } from '../support/engine/synthesize-tables.ts';
import { createTables } from '../support/engine/tables.ts';
import { testContext } from '../support/engine/test-context.ts';
import { median, printMachine, printTable, quantile, ratiosOf } from './figures.ts';
import { applyLoad, takeTurns } from './load.ts';

const [checks = 200, slices = 21] = process.argv.slice(2).map(Number);
/** So many that no limit is reached. */
const limits = { perMinute: perMinuteMax, perHour: 1_000_000, perDay: 10_000_000 };
const clients = 50;
/** Until the engine and Node have compiled what they run. */
const warmUpChecks = 3000;

printMachine(`npm run bench -- rate-check ${checks} ${slices}`);
const engine = await startDynamoDbLocal();
process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
const tables = await createTables(['rate_counters'], engine.newClient());
const counted = { ours: countedDynamo(engine.config), theirs: countedDynamo(engine.config) };
try {
  // As the functions make it; and as anyone makes it.
  const ours = checkOurs(documentClient(dynamoClient(engine.config)));
  const theirs = checkTheirs(await unionOfThree(new DynamoDB(engine.config)));

  const perCheck = async ({ used }: Counted, check: (i: number) => Promise<unknown>): Promise<string[]> => {
    // The first check of a client finds no row and is cheaper for some.
    await applyLoad(clients, 8, check);
    const before = { ...used };
    await applyLoad(checks, 8, check);
    return [used.calls - before.calls, used.units - before.units].map((sum) => (sum / checks).toFixed(2));
  };
  const oursPerCheck = await perCheck(counted.ours, checkOurs(counted.ours.documents));
  const theirsPerCheck = await perCheck(
    counted.theirs,
    checkTheirs(await unionOfThree(counted.theirs.client)),
  );
  const contestants = [
    ['theirs', 'rate-limiter-flexible', theirsPerCheck],
    ['ours', 'gateway', oursPerCheck],
  ] as const;

  for (const work of [ours, theirs]) await applyLoad(warmUpChecks, 16, work);
  const rows: string[][] = [];
  for (const inFlight of [1, 8, 64]) {
    const loads = await takeTurns({ ours, theirs }, inFlight, { count: slices, work: checks });
    for (const [side, name, calls] of contestants) {
      const latencies = loads[side].flatMap((load) => load.latenciesMs);
      rows.push([
        `${inFlight} in flight: ${name}`,
        ...calls,
        median(loads[side].map((load) => load.perSecond)).toFixed(0),
        quantile(latencies, 0.5).toFixed(1),
        quantile(latencies, 0.99).toFixed(1),
        ...(side === 'theirs' ? ['', ''] : ratiosOf(loads[side], loads.theirs)),
      ]);
    }
  }
  printTable(['', 'calls', 'write units', 'checks/s', 'p50 ms', 'p99 ms', 'ratio', 'quartiles'], rows);
} finally {
  await engine.stop();
}

function checkOurs(documents: DynamoDBDocumentClient): (i: number) => Promise<void> {
  const context = testContext({ dynamo: documents, names: tables.names });
  return async (i) => {
    const subject = { kind: 'client', clientId: `client_${i % clients}` } as const;
    const { admitted } = await checkRate(context, subject, 'sms_send', limits, new Date());
    if (!admitted) throw new Error('refused below its limit');
  };
}

function checkTheirs(union: RateLimiterUnion): (i: number) => Promise<unknown> {
  return (i) => union.consume(`client_${i % clients}`);
}

async function unionOfThree(storeClient: DynamoDB): Promise<RateLimiterUnion> {
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
