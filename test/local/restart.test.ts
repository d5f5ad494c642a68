/** What `npm start -- --data` promises of a restart, by a gateway of its own. */
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createDemoClients, dynamoClientAdmin } from '../../bin/demo-clients.ts';
import { aimAtEmulator } from '../../lib/local/aim-at-emulator.ts';
import type { LocalGateway } from '../../lib/local/gateway.ts';
import { dynamo, sqs } from '../../shared/platform/aws/clients.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { generations, startKept } from '../support/gateway/kept-gateway.ts';

const messages = 5;

let folder: string;
let gateway: LocalGateway | undefined;
const slowEndpoint = createServer();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-restart-'));
  slowEndpoint.listen(0, '127.0.0.1');
  await once(slowEndpoint, 'listening');
});
afterEach(() => gateway?.stop());
afterAll(async () => {
  slowEndpoint.close();
  await rm(folder, { recursive: true, force: true });
});

const start = () => startKept(join(folder, 'data'), folder);

async function call(method: string, path: string, apiKey: string, body?: object) {
  const answer = await fetch(`${gateway?.baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { readonly message_id: string; readonly status: string };
}

async function delivered(apiKey: string): Promise<string> {
  const { message_id } = await call('POST', '/api/v1/sms/send', apiKey, {
    to: '+447700900123',
    message: 'Hi',
  });
  return eventually(async () => {
    const { status } = await call('GET', `/api/v1/sms/status/${message_id}`, apiKey);
    return status === 'delivered' ? message_id : undefined;
  });
}

/** The state is written now and then; a write that ends now may have begun before. */
async function savedTwice(): Promise<void> {
  const newest = async () => (await generations(join(folder, 'data'))).at(-1) ?? 0;
  const before = await newest();
  await eventually(async () => ((await newest()) >= before + 2 ? true : undefined));
}

it('finishes a running function before it stops; after a restart, and after a death, everything of before is there', async () => {
  gateway = await start();
  aimAtEmulator(process.env, gateway.aws);
  const admin = dynamoClientAdmin(dynamo(), gateway.tables);
  const { api_key } = await createDemoClients(admin, new Date());
  let last = '';
  for (let sent = 0; sent < messages; sent += 1) last = await delivered(api_key);
  const QueueUrl = gateway.queues.outbound_dead_letters;
  const receiveFor12Hours = new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 43_200 });
  await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
  expect((await sqs().send(receiveFor12Hours)).Messages).toHaveLength(1);
  expect((await sqs().send(receiveFor12Hours)).Messages).toBeUndefined();
  expect(await senderWaitedFor(() => gateway?.stop(), api_key)).toBe(true);
  // Else a start would wait for whatever process has the number then.
  expect(await readdir(join(folder, 'data'))).not.toContain('emulator-pid');

  gateway = await start();
  // What was in flight is redelivered at once.
  expect((await sqs().send(receiveFor12Hours)).Messages).toHaveLength(1);
  expect((await call('GET', `/api/v1/sms/status/${last}`, api_key)).status).toBe('delivered');
  const beforeDeath = await delivered(api_key);

  await savedTwice();
  process.kill(-gateway.emulatorPid, 'SIGKILL');
  await gateway.ended;
  await gateway.stop();
  gateway = await start();
  expect((await call('GET', `/api/v1/sms/status/${beforeDeath}`, api_key)).status).toBe('delivered');
  await expect(delivered(api_key)).resolves.toMatch(/^msg_/);
});

/** Stops while a webhook is being posted to an endpoint that answers late. */
async function senderWaitedFor(stop: () => Promise<unknown> | undefined, apiKey: string): Promise<boolean> {
  const arrived = once(slowEndpoint, 'request');
  const { port } = slowEndpoint.address() as AddressInfo;
  await call('POST', '/api/v1/sms/send', apiKey, {
    to: '+447700900123',
    message: 'Hi',
    webhook_url: `http://127.0.0.1:${port}/`,
  });
  const [, response] = (await arrived) as [unknown, ServerResponse];
  let senderWaited = true;
  response.once('close', () => {
    senderWaited = response.writableFinished;
  });
  slowEndpoint.on('request', (_request, later: ServerResponse) => later.end());
  const stopped = stop();
  // Long enough for a stop that does not wait, and far less than the five seconds of a POST.
  await pause(1000);
  response.end();
  await stopped;
  return senderWaited;
}
