/**
 * `npm run bench -- rate-check [checks per slice] [slices]`: the rate check against rate-limiter-flexible's union of three limiters
 * (minute, hour, day), both on one DynamoDB Local, taking turns; beside them the cheapest write there is, by the SDK and as
 * a bare HTTP request, to show what one call takes. Needs Java 17.
 */
import { Agent, request } from 'node:http';
import { DynamoDB, UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';
import { rateLimiter } from '../../shared/limit/limiter.ts';
import { dynamoRateCounter } from '../../shared/limit/rate-counter.dynamo.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { type Counted, countedDynamo } from '../support/engine/counted-dynamo.ts';
import { startDynamoDbLocal } from '../support/engine/dynamodb-local.ts';
import { synthesizeTables } from '../support/engine/synthesize-tables.ts';
import { createTables } from '../support/engine/tables.ts';
import { median, printMachine, printTable, quantile, ratiosOf } from './figures.ts';
import { applyLoad, takeTurns } from './load.ts';

const [checks = 200, slices = 21] = process.argv.slice(2).map(Number);
/** So many that no limit is met, few enough that no counter is sharded. */
const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 10_000_000 };
const clients = 50;
const agent = new Agent({ keepAlive: true });
/** Until the engine and Node have compiled what they run. */
const warmUpChecks = 3000;

printMachine(`npm run bench -- rate-check ${checks} ${slices}`);
const engine = await startDynamoDbLocal();
process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
const tables = await createTables(['rate_counters'], engine.newClient());
const TableName = tables.names.rate_counters;
const counted = { ours: countedDynamo(engine.config), theirs: countedDynamo(engine.config) };
try {
  // As the functions make it; and as anyone makes it.
  const client = dynamoClient(engine.config);
  const ours = checkOurs(documentClient(client));
  const theirs = checkTheirs(await unionOfThree(new DynamoDB(engine.config)));
  const plainWrite = (i: number): UpdateItemCommandInput => ({
    TableName,
    Key: { counter: { S: `plain_${i % clients}` } },
    UpdateExpression: 'ADD d :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
  const write = (i: number): Promise<unknown> => client.send(new UpdateItemCommand(plainWrite(i)));
  const bare = (i: number): Promise<unknown> => postUnsigned(plainWrite(i));

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
    ['write', 'one write without a condition', ['1.00', '1.00']],
    ['bare', 'the same by bare HTTP, unsigned', ['1.00', '1.00']],
  ] as const;

  for (const work of [ours, theirs, write, bare]) await applyLoad(warmUpChecks, 16, work);
  const rows: string[][] = [];
  for (const inFlight of [1, 8, 64]) {
    const loads = await takeTurns({ ours, theirs, write, bare }, inFlight, { count: slices, work: checks });
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

  await showShards();
} finally {
  await engine.stop();
}

function checkOurs(documents: DynamoDBDocumentClient): (i: number) => Promise<void> {
  const limiter = rateLimiter({
    counter: dynamoRateCounter(documents, TableName),
    limitsOf: async () => limits,
    random: Math.random,
  });
  return async (i) => {
    const subject = { kind: 'client', clientId: `client_${i % clients}` } as const;
    const { admitted } = await limiter.check(subject, 'sms_send', new Date());
    if (!admitted) throw new Error('refused below its limit');
  };
}

/** No SDK, and no signature that anyone could trust: DynamoDB Local asks for none. */
function postUnsigned(input: UpdateItemCommandInput): Promise<void> {
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': 'DynamoDB_20120810.UpdateItem',
    Authorization:
      'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  return new Promise((resolve, reject) => {
    const sent = request(engine.endpoint, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(JSON.stringify(input));
  });
}

function checkTheirs(union: RateLimiterUnion): (i: number) => Promise<unknown> {
  return (i) => union.consume(`client_${i % clients}`);
}

/** A client above 30,000 a minute counts on several rows: none takes more than its part of the writes. */
async function showShards(): Promise<void> {
  const perMinute = 240_000;
  const sharded = rateLimiter({
    counter: dynamoRateCounter(counted.ours.documents, TableName),
    limitsOf: async () => ({ ...limits, perMinute, perHour: perMinute * 60, perDay: perMinute * 1440 }),
    random: Math.random,
  });
  const subject = { kind: 'client', clientId: 'sharded' } as const;
  const before = counted.ours.used.calls;
  const total = checks * 10;
  const { perSecond } = await applyLoad(total, 64, () => sharded.check(subject, 'sms_send', new Date()));
  const calls = (counted.ours.used.calls - before) / total;
  const { Items = [] } = await counted.ours.documents.send(new ScanCommand({ TableName }));
  // One further row has the generation of the shards, and counts nothing.
  const counts = Items.flatMap(({ counter, d }) =>
    String(counter).startsWith('sharded|') && d !== undefined ? [Number(d)] : [],
  );
  const sum = counts.reduce((all, count) => all + count, 0);
  const busiest = ((Math.max(...counts) / sum) * 100).toFixed(1);
  console.log(
    `\nOne client of ${perMinute.toLocaleString('en')} a minute, 64 in flight: ${perSecond.toFixed(0)} checks/s, ` +
      `${calls.toFixed(2)} calls each, on ${counts.length} rows; the busiest took ${busiest} %; counted ${sum} of ${total}`,
  );
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
