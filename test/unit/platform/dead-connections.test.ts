/**
 * Calls that must not be repeated, by a process that was frozen while their servers ended the idle connections. The servers are
 * in another thread; while they end the connections this one is blocked, so it does not see it before its next call.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awsSms } from '../../../shared/carrier/aws/aws-sms.ts';
import { awsWhatsApp } from '../../../shared/carrier/aws/aws-whatsapp.ts';
import { foreignEventBridge, foreignSqs } from '../../../shared/platform/aws/clients.ts';
import { httpPost } from '../../../shared/webhook/deliver/http-post.ts';
import { eventBridgePutEvent, sqsSendMessage } from '../../../shared/webhook/deliver/send-to-aws.sqs.ts';
import { carrierEnvironment } from '../../support/carrier/carrier-server.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';

/** Answers each of the services, and ends all connections on a message. */
const server = `
  const { createHash } = require('node:crypto');
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const some of request) text += some;
    const MD5OfMessageBody = createHash('md5').update(JSON.parse(text).MessageBody ?? '').digest('hex');
    const answer = { MessageId: 'a', messageId: 'a', MD5OfMessageBody, FailedEntryCount: 0, Entries: [{ EventId: 'a' }] };
    response.end(JSON.stringify(answer));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  parentPort.on('message', () => server.closeAllConnections());
`;
const worker = new Worker(server, { eval: true });
const settings = { prices: { currency: 'USD', sms: {}, whatsapp: {} }, timeLimitMs: 5000 } as const;
const credentials = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', expiration: new Date() };
const [region, account] = ['eu-west-2', '111122223333'];
let calls: Readonly<Record<string, () => Promise<unknown>>>;

beforeAll(async () => {
  const [port] = await once(worker, 'message');
  const url = `http://127.0.0.1:${port}`;
  const endpoints = { AWS_ENDPOINT_URL_SQS: url, AWS_ENDPOINT_URL_EVENTBRIDGE: url };
  Object.assign(process.env, carrierEnvironment(url), endpoints);
  const message = handOverOf(aSendingMessage(), { text: 'Hello' });
  const sms = awsSms({ ...settings, originationIdentity: 'ACME', configurationSet: 'a' }, () => new Date());
  const whatsApp = awsWhatsApp({
    ...settings,
    phoneNumberId: 'phone-number-id-1',
  });
  const [queues, buses] = [foreignSqs(region, credentials), foreignEventBridge(region, credentials)];
  const [toQueue, toBus] = [sqsSendMessage(() => queues), eventBridgePutEvent(() => buses)];
  const queueMessage = { queueArn: `arn:aws:sqs:${region}:${account}:q`, body: '{}', attributes: {} };
  const busArn = `arn:aws:events:${region}:${account}:event-bus/b`;
  const post = httpPost({
    rules: { allowLoopback: true, allowHttp: true, ports: 'any' },
    resolve: async () => ['127.0.0.1'],
  });
  calls = {
    'an SMS': () => sms.handOver(message),
    'a WhatsApp message': () => whatsApp.handOver(message),
    'a webhook to a queue': () => toQueue(credentials, queueMessage, AbortSignal.timeout(5000)),
    'a webhook to an event bus': () =>
      toBus(credentials, { busArn, source: 'a', detailType: 'b', detail: '{}' }, AbortSignal.timeout(5000)),
    'a webhook': () => post({ url, headers: {}, body: '{}' }),
  };
});
afterAll(() => worker.terminate());

/** As Lambda freezes a process. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('after a process was frozen, and its idle connections were ended', () => {
  it.each([
    ['an SMS', 1100, { outcome: 'accepted' }],
    ['a WhatsApp message', 1100, { outcome: 'accepted' }],
    ['a webhook to a queue', 1100, { status: 200 }],
    ['a webhook to an event bus', 1100, { status: 200 }],
    ['a webhook', 4100, { status: 200 }],
  ])('%s is sent on a new one', async (name, frozenMs, expected) => {
    const call = calls[name];
    expect(await call?.()).toMatchObject(expected);
    worker.postMessage('end all connections');
    freeze(frozenMs);
    expect(await call?.()).toMatchObject(expected);
  });
});
