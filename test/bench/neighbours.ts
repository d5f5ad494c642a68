/**
 * What a client's bulk of 500 with eight webhook endpoints costs others: the time to the hand-over of another client's
 * message and to its first webhook, and to the hand-over of a one-time password of the same client, one of each a second
 * for twenty seconds; alone, beside endpoints that answer, and beside endpoints that hang. Fails unless each is handed
 * over within 3 s. `npm run bench -- neighbours [messages of the bulk] [endpoints]`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { freshNumber } from '../support/carrier/outbox.ts';
import { printMachine, printTable, quantile } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const bulkSize = Number(process.argv[2] ?? 500);
const endpointCount = Number(process.argv[3] ?? 8);
const seconds = 20;
const allowedMs = 3000;
const waitMaxSeconds = 300;

interface Waits {
  readonly name: string;
  /** Milliseconds from the request's answer to the hand-over; as many as were sent. */
  readonly message: readonly number[];
  readonly otp: readonly number[];
  readonly webhook: readonly number[];
}

await withOwnGateway(1, async (gateway) => {
  const [busy, other] = [await gateway.newClient('busy'), await gateway.newClient('other')];
  // Read with the first request: a minute's own limit is 30.
  const override = { client_id: busy, endpoint: 'POST /api/v1/otp/send', per_minute: 600 };
  const TableName = gateway.tables.limit_overrides ?? '';
  await gateway.database.send(new PutCommand({ TableName, Item: override }));
  const quick = await gateway.webhookEndpoint((response) => response.end());
  // Starts the functions.
  await waitsOf(gateway, { name: 'first', busy, other, quick, times: 5 });
  const all = [await waitsOf(gateway, { name: 'alone', busy, other, quick, times: seconds })];
  for (const hangs of [false, true]) {
    const name = `beside a bulk of ${bulkSize}, ${endpointCount} endpoints that ${hangs ? 'hang' : 'answer'}`;
    const remove = await withEndpoints(gateway, busy, hangs);
    const recipients = Array.from({ length: bulkSize }, freshNumber);
    const { batch_id } = await gateway.call(busy, 'POST', '/api/v1/sms/bulk', {
      message: 'Hello',
      recipients,
    });
    all.push(await waitsOf(gateway, { name, busy, other, quick, times: seconds }));
    const began = Date.now();
    await deliveredAll(gateway, busy, String(batch_id));
    console.log(`${name}: all delivered ${Math.round((Date.now() - began) / 1000)} s after the last`);
    await remove();
    if (!hangs) await pause(20_000);
  }
  printMachine('npm run bench -- neighbours');
  const told = (times: readonly number[]) =>
    [0.5, 0.95, 1].map((share) => String(quantile(times, share))).join(' / ');
  printTable(
    ['ms, p50 / p95 / most', 'message', 'its first webhook', 'one-time password'],
    all.map(({ name, message, webhook, otp }) => [name, told(message), told(webhook), told(otp)]),
  );
  const late = all.flatMap(({ message, otp }) => [...message, ...otp]).filter((ms) => !(ms <= allowedMs));
  console.log(`${late.length} handed over later than ${allowedMs} ms`);
  process.exitCode = late.length === 0 ? 0 : 1;
});
process.exit();

interface Neighbours {
  readonly name: string;
  readonly busy: string;
  readonly other: string;
  readonly quick: BenchWebhookEndpoint;
  readonly times: number;
}

async function waitsOf(gateway: OwnGateway, { name, busy, other, quick, times }: Neighbours): Promise<Waits> {
  const sending: Promise<{ readonly message: string; readonly otp: string; readonly at: number }>[] = [];
  const startedAt = Date.now();
  for (let i = 0; i < times; i += 1) {
    await pause(Math.max(0, startedAt + i * 1000 - Date.now()));
    const message = { to: freshNumber(), message: 'Hello', webhook_url: quick.url };
    sending.push(
      Promise.all([
        gateway.call(other, 'POST', '/api/v1/sms/send', message),
        gateway.call(busy, 'POST', '/api/v1/otp/send', { to: freshNumber() }),
      ]).then(([sms, otp]) => ({
        message: String(sms.message_id),
        otp: String(otp.message_id),
        at: Date.now(),
      })),
    );
  }
  const waits: { message: number; otp: number; webhook: number }[] = [];
  for (const { message, otp } of await Promise.all(sending)) {
    const createdAt = await timeOf(gateway, message, 'created_at');
    waits.push({
      message: (await timeOf(gateway, message, 'sent_at')) - createdAt,
      otp: (await timeOf(gateway, otp, 'sent_at')) - (await timeOf(gateway, otp, 'created_at')),
      webhook: (await arrivalOf(quick, message)) - createdAt,
    });
  }
  return {
    name,
    message: waits.map(({ message }) => message),
    otp: waits.map(({ otp }) => otp),
    webhook: waits.map(({ webhook }) => webhook),
  };
}

/** Waits for it; not a number if it does not come. */
async function timeOf(
  { database, tables }: OwnGateway,
  message_id: string,
  field: 'created_at' | 'sent_at',
): Promise<number> {
  const time = await comesTrue(async () => {
    const { Item } = await database.send(
      new GetCommand({ TableName: tables.messages ?? '', Key: { message_id }, ConsistentRead: true }),
    );
    return Item?.[field] as string | undefined;
  });
  return Date.parse(time ?? '');
}

async function arrivalOf({ arrivals }: BenchWebhookEndpoint, messageId: string): Promise<number> {
  return (await comesTrue(async () => arrivals.get(messageId))) ?? Number.NaN;
}

async function deliveredAll(gateway: OwnGateway, clientId: string, batchId: string): Promise<void> {
  await comesTrue(async () => {
    const { counts } = await gateway.call(clientId, 'GET', `/api/v1/sms/status/${batchId}`);
    return (counts as { delivered?: number }).delivered === bulkSize || undefined;
  }, 2000);
}

async function comesTrue<Value>(
  read: () => Promise<Value | undefined>,
  everyMs = 250,
): Promise<Value | undefined> {
  const deadline = Date.now() + waitMaxSeconds * 1000;
  for (;;) {
    const value = await read();
    if (value !== undefined || Date.now() > deadline) return value;
    await pause(everyMs);
  }
}

/** All events of the client go to them, until the returned function is called. */
async function withEndpoints(
  gateway: OwnGateway,
  clientId: string,
  hangs: boolean,
): Promise<() => Promise<void>> {
  const path = '/api/v1/webhook-endpoints';
  const ids: string[] = [];
  for (let index = 0; index < endpointCount; index += 1) {
    const { url } = await gateway.webhookEndpoint((response) => void (hangs || response.end()));
    ids.push(String((await gateway.call(clientId, 'POST', path, { url })).endpoint_id));
  }
  return async () => {
    for (const id of ids) await gateway.call(clientId, 'DELETE', `${path}/${id}`);
  };
}
