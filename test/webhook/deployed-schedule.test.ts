import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { derivedId, newId } from '../../shared/ids.ts';
import { type Delivery, retryDelaysSeconds } from '../../shared/webhook/delivery.ts';
import { dynamoDeliveryStore } from '../../shared/webhook/delivery-store.dynamo.ts';
import { relayDeliveries } from '../../shared/webhook/plan-deliveries.ts';
import { sqsDeliveryQueue } from '../../shared/webhook/wake.sqs.ts';
import { aMessage, aSentMessage } from '../support/a-webhook-message.ts';
import { documentClient, eventually, gateway, sqsClient } from '../support/gateway.ts';

const { tables, queues, client_id, webhook_secret, time_scale } = gateway();
const dynamo = documentClient();
const sqs = sqsClient();
const deliveries = dynamoDeliveryStore(dynamo, tables.webhook_deliveries ?? '');
const queue = sqsDeliveryQueue(sqs, { fast: queues.webhooks ?? '', slow: queues.slow_webhooks ?? '' });
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
afterAll(() => {
  dynamo.destroy();
  sqs.destroy();
});

async function receiver(answer: (body: string, request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks).toString('utf8'), request, response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** As the relay does it for a message of this client that was just sent. */
async function send(url: string, clientId = client_id): Promise<string> {
  const id = newId('msg', new Date());
  const ports = { deliveries, queue, clock: () => new Date(), newRevision: randomUUID, retentionDays: 1 };
  const message = { message_id: id, client_id: clientId, webhook_url: url };
  await relayDeliveries(ports, aMessage(message), aSentMessage(message), undefined);
  return derivedId('whd', id, 'sms.sent');
}

const finished = (deliveryId: string, withinSeconds: number) =>
  eventually(
    async () => {
      const delivery = await deliveries.get(deliveryId);
      return delivery?.finished_at === undefined ? undefined : delivery;
    },
    { withinSeconds },
  );

describe('webhooks of the deployed gateway', () => {
  it('arrive signed for both kinds of receiver', async () => {
    let verified: unknown;
    const url = await receiver((body, request, response) => {
      verified = new Webhook(webhook_secret).verify(body, request.headers as Record<string, string>);
      response.end();
    });
    expect((await finished(await send(url), 30)).state).toBe('acknowledged');
    expect(verified).toMatchObject({ event: 'sms.sent', data: { client_id } });
  });

  it('come again after each failure, never early and at most 2 s late, by queue and by schedule', async () => {
    let posts = 0;
    const url = await receiver((_body, _request, response) => {
      posts += 1;
      response.writeHead(posts <= 4 ? 503 : 200).end('an answer');
    });
    const { state, attempts } = await finished(await send(url), 90);
    console.log(
      attempts.map(({ number, lateness_ms }) => `attempt ${number}: ${lateness_ms} ms late`).join('\n'),
    );
    expect(state).toBe('acknowledged');
    const delays = attempts
      .slice(1)
      .map(({ due_at }, i) => Date.parse(due_at) - Date.parse(attempts[i]?.ended_at ?? ''));
    expect(delays).toEqual(
      retryDelaysSeconds.slice(0, 4).map((seconds) => Math.ceil(seconds / time_scale) * 1000),
    );
    for (const { lateness_ms } of attempts.slice(1)) {
      expect(lateness_ms).toBeGreaterThanOrEqual(0);
      expect(lateness_ms).toBeLessThanOrEqual(2000);
    }
    expect(attempts[0]).toMatchObject({
      status: 503,
      error: 'not_200',
      response_body: 'an answer',
      address: '127.0.0.1',
    });
    expect(attempts[0]?.request_headers).toMatchObject({ 'x-webhook-signature': '[redacted]' });
  });

  it('to good receivers are not delayed by half of the traffic hanging', async () => {
    const good = await receiver((_body, _request, response) => response.end());
    const hanging = await receiver(() => {});
    const pace = async (urls: readonly string[]) => {
      const sent: [string, string][] = [];
      for (const url of urls) {
        sent.push([url, await send(url)]);
        await pause(50);
      }
      const latencies = await Promise.all(
        sent.filter(([url]) => url === good).map(async ([, id]) => latencyOf(await finished(id, 60))),
      );
      return latencies.toSorted((a, b) => a - b);
    };
    // The first of them start the processes.
    await pace(Array(20).fill(good));
    const alone = await pace(Array(60).fill(good));
    const beside = await pace(Array.from({ length: 120 }, (_, i) => (i % 2 === 0 ? good : hanging)));
    const p99 = (sorted: readonly number[]) => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
    console.log(
      `event to POST, p99: ${p99(alone)} ms alone, ${p99(beside)} ms with half of the traffic hanging`,
    );
    expect(p99(beside)).toBeLessThan(1000);
  });
});

function latencyOf(delivery: Delivery): number {
  return Date.parse(delivery.attempts[0]?.started_at ?? '') - Date.parse(delivery.created_at);
}
