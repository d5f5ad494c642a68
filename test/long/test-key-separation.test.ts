/**
 * Requests with test keys change nothing of the live data of the same client (contract, section 17): neither what live
 * keys read, nor a row of the tables. `TEST_KEY_CALLS` is the number of requests.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { documentClient, eventually, gateway, waitMaxSeconds } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { newClient, type TestClient, withTestKey } from '../support/http/client.ts';
import type { CallResponse } from '../support/http/http-call.ts';
import { startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

const calls = Number(process.env.TEST_KEY_CALLS ?? 100);
const atOnce = 8;
/** A slow machine needs as long for a request, and as long again for what follows from it. */
const secondsPerCall = 0.5;
/** Longer than a stream, a queue and a webhook take on an idle machine. */
const quietMs = 5000;

const closedUrl = 'http://127.0.0.1:9/';
const suppressed = '+447700900199';

/** All that a live key can read, by path. */
const readable = [
  '/api/v1/account',
  '/api/v1/account/usage',
  '/api/v1/account/usage?group_by=country',
  '/api/v1/messages',
  '/api/v1/messages?direction=inbound',
  '/api/v1/suppressions',
  '/api/v1/webhook-endpoints',
  '/api/v1/webhook-deliveries',
];

/** Every kind of request, with recipients that fail, throttle and answer STOP. */
const requests: readonly ((test: TestClient, at: number) => Promise<CallResponse>)[] = [
  (test) => test.post('/api/v1/sms/send', { to: freshNumber(), message: 'Hello' }),
  (test, at) => test.post('/api/v1/sms/send', { to: `+1500555000${(at % 3) + 1}`, message: 'Hello' }),
  (test) => test.post('/api/v1/sms/send', { to: '+15005550006', message: 'Hello' }),
  (test) => test.post('/api/v1/sms/send', { to: '+15005550008', message: 'Hello' }),
  (test) => test.post('/api/v1/sms/bulk', { message: 'Hello', recipients: [freshNumber(), freshNumber()] }),
  (test) => test.post('/api/v1/whatsapp/send', { to: freshNumber(), message: 'Hello' }),
  (test) => test.post('/api/v1/otp/send', { to: freshNumber() }),
  (test) => test.post('/api/v1/otp/verify', { otp_id: 'otp_01KC9V7Q8Z4N6M2R5T8W1Y3X0A', code: '000000' }),
  (test) => test.post('/api/v1/sms/send', { to: '12' }),
  (test, at) => test.call('PUT', `/api/v1/suppressions/+4477009001${String(at % 100).padStart(2, '0')}`),
  (test) => test.call('PUT', `/api/v1/suppressions/${suppressed}`),
  (test) => test.call('DELETE', `/api/v1/suppressions/${suppressed}`),
  (test) => test.call('PATCH', '/api/v1/account', { body: { webhook_url: closedUrl } }),
  (test) => test.post('/api/v1/webhook-endpoints', { url: closedUrl }),
  (test) => test.call('GET', '/api/v1/messages'),
  (test) => test.call('GET', '/api/v1/account/usage'),
];

it(
  `${calls} requests with a test key change nothing that live keys read, and no live row`,
  () =>
    withinOne('day', async () => {
      const server = await startWebhookEndpoint();
      try {
        await changesNothing(server.url);
      } finally {
        await server.close();
      }
    }),
  600_000 + 2000 * calls * secondsPerCall,
);

async function changesNothing(webhookUrl: string): Promise<void> {
  const live = await newClient({ webhookUrl, caps: { messages: { per_day: 1_000_000 } } });
  const identity = freshNumber();
  await givePacedSender(live.clientId, identity);
  const test = await withTestKey(live);
  await makeLiveData(live, webhookUrl);

  const rows = () => liveRows(live.clientId, identity);
  await settled(rows);
  const [seen, left] = await readAll(live);
  const before = await settled(rows);
  // The rows of messages, counts, webhooks, suppressions, limits, slots and the client.
  expect(before.length).toBeGreaterThan(30);

  await makeTestCalls(test);

  expect(await settled(rows)).toEqual(before);
  const [seenAfter, leftAfter] = await readAll(live);
  expect(seenAfter).toEqual(seen);
  // Only the requests of this reading were counted.
  const counted = Object.keys(left).map((policy) => [policy, (left[policy] ?? 0) - (leftAfter[policy] ?? 0)]);
  expect(Object.fromEntries(counted)).toEqual({ account: 3, messages: 2, suppressions: 1, webhooks: 2 });
}

/** A pace is shared by all clients of a sender, so that it is the one row without the id of a client. */
async function givePacedSender(client_id: string, identity: string): Promise<void> {
  const dynamo = documentClient();
  const Item = { client_id, destination: 'sms *', identity, messages_per_second: 50 };
  await dynamo.send(new PutCommand({ TableName: gateway().tables.senders, Item }));
  dynamo.destroy();
}

async function makeLiveData(live: TestClient, webhookUrl: string): Promise<void> {
  const to = freshNumber();
  const id = await live.send({ to, reference: 'live' });
  await live.statusOnce(id, 'delivered');
  await live.statusOnce(await live.send({ to: '+15005550001' }), 'failed');
  await live.statusOnce(await live.send({ to: freshNumber() }, '/api/v1/otp/send'), 'delivered');
  await live.statusOnce(await live.send({ to: '+15005550008' }), 'delivered');
  await live.call('PUT', `/api/v1/suppressions/${freshNumber()}`);
  const answered = [
    live.post('/api/v1/webhook-endpoints', { url: webhookUrl }),
    live.post('/api/v1/sms/bulk', { message: 'Hello', recipients: [freshNumber()] }),
  ];
  for (const { status } of await Promise.all(answered)) expect(status).toBeLessThan(300);
}

async function makeTestCalls(test: TestClient): Promise<void> {
  let next = 0;
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const worker = async (): Promise<void> => {
    for (let at = next++; at < calls; at = next++) {
      const kind = at % requests.length;
      const ask = () => (requests[kind] as (typeof requests)[number])(test, at);
      let response = await ask();
      // As a client does: a busy machine may take too long once.
      if (response.status === 503) response = await ask();
      const { status, text } = response;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) failures.push(`request ${kind}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  // The most are accepted, so that there is something to keep apart.
  expect((statuses.get(202) ?? 0) / calls).toBeGreaterThan(0.35);
  expect(failures).toEqual([]);
  for (const status of ['queued', 'sending', 'sent'])
    await eventually(
      async () => {
        const { body } = await test.call('GET', `/api/v1/messages?status=${status}&limit=1`);
        return (body.messages as unknown[]).length === 0 || undefined;
      },
      { withinSeconds: waitMaxSeconds + calls * secondsPerCall },
    );
}

/** The bodies by path, and how many requests are left in the day, by policy. */
async function readAll(live: TestClient): Promise<[object, Record<string, number>]> {
  const bodies: Record<string, unknown> = {};
  const left: Record<string, number> = {};
  for (const path of readable) {
    const { body, headers } = await live.call('GET', path);
    bodies[path] = body;
    const [, policy = '', remaining] = /"(\w+)_day";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    left[policy] = Number(remaining);
  }
  return [bodies, left];
}

/** The rows once nothing changes them any more. */
async function settled(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  let last = await read();
  return eventually(async () => {
    await pause(quietMs);
    const rows = await read();
    const isSame = JSON.stringify(rows) === JSON.stringify(last);
    last = rows;
    return isSame && !rows.some(isUnderWay) ? rows : undefined;
  });
}

/** Whether the gateway has yet to hand a message over, to hear of it, or to deliver a webhook. */
function isUnderWay(row: string): boolean {
  return (
    /^messages .*"status":"(queued|sending|sent)"/.test(row) ||
    /^webhook-deliveries .*"state":"(pending|attempting|retry_scheduled)"/.test(row)
  );
}

/** Every row of every table that names the client or its sender, apart from those of its test data. */
async function liveRows(clientId: string, identity: string): Promise<readonly string[]> {
  const ofLive = new RegExp(`${clientId}|"sender":"\\${identity}"`);
  const dynamo = documentClient();
  const found: string[] = [];
  for (const [table, TableName] of Object.entries(gateway().tables)) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await dynamo.send(
        new ScanCommand({ TableName, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
      );
      for (const item of page.Items ?? []) {
        // The client's row has the settings of its test data, too: its fields test_….
        const row = JSON.stringify(item, (name, value) => (name.startsWith('test_') ? undefined : value));
        if (ofLive.test(row) && !row.includes(`${clientId}-test`)) found.push(`${table} ${row}`);
      }
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }
  dynamo.destroy();
  return found.toSorted();
}
