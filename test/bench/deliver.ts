/**
 * `npm run bench -- deliver [deliveries]`: the ceiling of one process of the delivery function: its bundle, fed with queue
 * batches of ten, as many at once as stated, against an endpoint and a DynamoDB Local on this machine.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { derivedId } from '../../shared/platform/ids.ts';
import { newDelivery } from '../../shared/webhook/delivery.ts';
import { storeDelivery } from '../../shared/webhook/delivery-store.dynamo.ts';
import { type TestContext, testContext } from '../support/engine/test-context.ts';
import type { TestTables } from '../support/engine/test-tables.ts';
import { printMachine, printTable, quantile } from './figures.ts';
import { applyLoad } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';

const [deliveries = 500] = process.argv.slice(2).map(Number);
const batchSize = 10;

silenceLog();
printMachine(`npm run bench -- deliver ${deliveries}`);
const local = await startLocalFunctions();
let received = 0;
const webhookEndpoint = createServer((request, response) => {
  request.resume().on('end', () => {
    received += 1;
    response.end('ok');
  });
}).listen(0, '127.0.0.1');
await once(webhookEndpoint, 'listening');
try {
  const address = webhookEndpoint.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  const url = `http://127.0.0.1:${address.port}/hook`;
  const context = testContext({ dynamo: local.dynamo, names: local.tables as TestTables['names'] });
  const deliver = local.handler<SQSEvent, SQSBatchResponse>('deliver-webhook');
  const rows: string[][] = [];
  let made = 0;
  for (const batches of [1, 4]) {
    const ids = await seed(context, url, made, deliveries);
    made += deliveries;
    const before = received;
    const heapBeforeMb = process.memoryUsage().heapUsed / 2 ** 20;
    const { perSecond, latenciesMs } = await applyLoad(ids.length / batchSize, batches, async (batch) => {
      const { batchItemFailures } = await deliver(
        eventOf(ids.slice(batch * batchSize, (batch + 1) * batchSize)),
      );
      if (batchItemFailures.length > 0) throw new Error('a delivery was not taken');
    });
    if (received - before !== deliveries) throw new Error(`${received - before} of ${deliveries} arrived`);
    rows.push([
      `${batches} batch${batches === 1 ? '' : 'es'} of ${batchSize} at once`,
      (perSecond * batchSize).toFixed(0),
      quantile(latenciesMs, 0.5).toFixed(0),
      quantile(latenciesMs, 0.99).toFixed(0),
      (process.memoryUsage().heapUsed / 2 ** 20 - heapBeforeMb).toFixed(0),
    ]);
  }
  printTable(['', 'deliveries/s', 'batch p50 ms', 'batch p99 ms', 'heap MB more'], rows);
} finally {
  webhookEndpoint.closeAllConnections();
  webhookEndpoint.close();
  await local.stop();
}

async function seed(context: TestContext, url: string, from: number, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => derivedId('whd', String(from + i)));
  await applyLoad(count, 16, async (i) => {
    const delivery = {
      delivery_id: ids[i] ?? '',
      client_id: local.clientId,
      message_id: derivedId('msg', String(from + i)),
      event: 'sms.delivered',
      url,
      body: '{"event":"sms.delivered","timestamp":"2026-11-20T10:00:00.000Z","data":{"status":"delivered"}}',
    } as const;
    await storeDelivery(context, newDelivery(delivery, new Date(), 30, randomUUID()));
  });
  return ids;
}

function eventOf(ids: readonly string[]): SQSEvent {
  const Records = ids.map((delivery_id) => ({
    messageId: randomUUID(),
    body: JSON.stringify({ delivery_id }),
    attributes: { ApproximateReceiveCount: '1' },
    eventSourceARN: process.env.WEBHOOKS_QUEUE_ARN,
  }));
  return { Records } as unknown as SQSEvent;
}
