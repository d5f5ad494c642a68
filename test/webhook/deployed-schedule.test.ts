import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { derivedId, newId } from '../../shared/ids.ts';
import { retryDelaysSeconds } from '../../shared/webhook/delivery.ts';
import { dynamoDeliveryStore } from '../../shared/webhook/delivery-store.dynamo.ts';
import { relayDeliveries } from '../../shared/webhook/plan-deliveries.ts';
import { dynamoReceiverStore } from '../../shared/webhook/receiver-health.dynamo.ts';
import { receiverHealth } from '../../shared/webhook/receiver-health.ts';
import { sqsDeliveryQueue } from '../../shared/webhook/wake.sqs.ts';
import { aMessage, aSentMessage } from '../support/a-webhook-message.ts';
import { documentClient, eventually, gateway, sqsClient } from '../support/gateway.ts';

const { tables, queues, client_id, webhook_secret, time_scale } = gateway();
const dynamo = documentClient();
const sqs = sqsClient();
const deliveries = dynamoDeliveryStore(dynamo, tables.webhook_deliveries ?? '');
const queue = sqsDeliveryQueue(sqs, { fast: queues.webhooks ?? '', slow: queues.slow_webhooks ?? '' });
const health = receiverHealth(dynamoReceiverStore(dynamo, tables.webhook_deliveries ?? ''));
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
  const ports = {
    deliveries,
    queue,
    health,
    clock: () => new Date(),
    newRevision: randomUUID,
    retentionDays: 1,
    warn: console.warn,
  };
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
});
