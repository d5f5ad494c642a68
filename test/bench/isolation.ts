/**
 * `npm run bench -- isolation [seconds of each part] [other endpoints] [messages of the bulk]`: what one client costs
 * another, on a local gateway. The first table has the time from an event to its POST at an endpoint that answers, beside
 * other endpoints that answer, and beside as many that begin to hang. The second has the time from a request to its
 * hand-over, alone and beside another client's bulk.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { freshNumber } from '../support/carrier/outbox.ts';
import { printMachine, printTable, quantile, ratio } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const [seconds = 60, otherEndpoints = 20, bulkSize = 500] = process.argv.slice(2).map(Number);
const healthyPerSecond = 5;
const otherPerSecond = 1;
/** What has not happened by then is missing. */
const waitMaxSeconds = 60;

interface Target {
  readonly clientId: string;
  readonly endpoint: BenchWebhookEndpoint;
  readonly perSecond: number;
}

await withOwnGateway(async (gateway) => {
  printMachine(`npm run bench -- isolation ${seconds} ${otherEndpoints} ${bulkSize}`);
  await besideEndpoints(gateway);
  await besideBulk(gateway);
});
process.exit();

async function besideEndpoints(gateway: OwnGateway): Promise<void> {
  const healthy = await newTarget(gateway, healthyPerSecond, () => true);
  let answering = true;
  const others: Target[] = [];
  while (others.length < otherEndpoints)
    others.push(await newTarget(gateway, otherPerSecond, () => answering));
  // Starts the workers.
  await delaysOfEvents(gateway, [healthy, ...others], 10);

  const answered = await delaysOfEvents(gateway, [healthy, ...others], seconds);
  answering = false;
  const hung = await delaysOfEvents(gateway, [healthy, ...others], seconds);
  answering = true;
  printComparison('event to POST, ms', [
    [`beside ${otherEndpoints} that answer`, answered],
    [`beside ${otherEndpoints} that hang`, hung],
  ]);
}

async function newTarget(gateway: OwnGateway, perSecond: number, answers: () => boolean): Promise<Target> {
  const clientId = await gateway.newClient('endpoint');
  return { clientId, endpoint: await gateway.webhookEndpoint(answers), perSecond };
}

/** Sends events to all targets evenly. @returns the delays of the first target, in milliseconds */
async function delaysOfEvents(
  gateway: OwnGateway,
  targets: readonly Target[],
  forSeconds: number,
): Promise<readonly number[]> {
  const planned = targets
    .flatMap((target, place) =>
      Array.from({ length: forSeconds * target.perSecond }, (_, i) => ({
        target,
        atMs: ((i + place / targets.length) * 1000) / target.perSecond,
      })),
    )
    .toSorted((a, b) => a.atMs - b.atMs);
  const startedAt = Date.now();
  const delays: Promise<number>[] = [];
  for (const { target, atMs } of planned) {
    await pause(Math.max(0, startedAt + atMs - Date.now()));
    const at = Date.now();
    const stored = gateway.storeSent(target.clientId, target.endpoint.url);
    if (target === targets[0])
      delays.push(
        stored.then(async (id) => (await eventually(async () => target.endpoint.arrivals.get(id))) - at),
      );
  }
  return await Promise.all(delays);
}

async function besideBulk(gateway: OwnGateway): Promise<void> {
  const [busy, other] = [await gateway.newClient('busy'), await gateway.newClient('other')];
  // Starts the functions.
  await delaysOfHandOvers(gateway, other, 5);
  const alone = await delaysOfHandOvers(gateway, other, 20);
  const recipients = Array.from({ length: bulkSize }, freshNumber);
  await gateway.call(busy, 'POST', '/api/v1/sms/bulk', { message: 'Hello', recipients });
  const beside = await delaysOfHandOvers(gateway, other, 20);
  console.log();
  printComparison('request to hand-over, ms', [
    ['alone', alone],
    [`beside a bulk of ${bulkSize}`, beside],
  ]);
}

/** Sends a message each second. @returns their delays in milliseconds */
async function delaysOfHandOvers(
  gateway: OwnGateway,
  clientId: string,
  times: number,
): Promise<readonly number[]> {
  const delays: Promise<number>[] = [];
  for (let i = 0; i < times; i += 1) {
    await pause(1000);
    const sent = gateway.call(clientId, 'POST', '/api/v1/sms/send', { to: freshNumber(), message: 'Hello' });
    delays.push(sent.then(({ message_id }) => handOverDelay(gateway, String(message_id))));
  }
  return await Promise.all(delays);
}

async function handOverDelay({ database, tables }: OwnGateway, message_id: string): Promise<number> {
  const get = new GetCommand({
    TableName: tables.messages ?? '',
    Key: { message_id },
    ConsistentRead: true,
  });
  return await eventually(async () => {
    const { Item } = await database.send(get);
    return Item?.sent_at === undefined ? undefined : Date.parse(Item.sent_at) - Date.parse(Item.created_at);
  });
}

/** @returns NaN if the value does not come in time */
async function eventually(read: () => Promise<number | undefined>): Promise<number> {
  const deadline = Date.now() + waitMaxSeconds * 1000;
  for (;;) {
    const value = await read();
    if (value !== undefined || Date.now() > deadline) return value ?? Number.NaN;
    await pause(100);
  }
}

/** The ratio is of each 99th percentile to the first. */
function printComparison(
  title: string,
  rows: readonly (readonly [name: string, delays: readonly number[]])[],
): void {
  const came = rows.map(
    ([name, delays]) => [name, delays.filter((ms) => !Number.isNaN(ms)), delays] as const,
  );
  const reference = quantile(came[0]?.[1] ?? [], 0.99);
  printTable(
    [title, 'n', 'missing', 'p50', 'p99', 'most', 'p99 ratio'],
    came.map(([name, delays, all]) => [
      name,
      String(all.length),
      String(all.length - delays.length),
      ...[0.5, 0.99, 1].map((fraction) => String(quantile(delays, fraction))),
      ratio(quantile(delays, 0.99) / reference),
    ]),
  );
}
