/**
 * Loads every function's bundle with Amazon's own runtime client, in the environment of the deployed function, and
 * sends it one event: `npm run test:lambda-runtime`. The emulator and the tests have runtimes of their own; this is the
 * one that functions have on Lambda.
 */

import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FunctionConfiguration, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { connectionOf } from '../../lib/local/connection.ts';
import { aimAtEmulator } from '../../lib/local/environment.ts';
import { startLocalGateway } from '../../lib/local/gateway.ts';
import { stages } from '../../lib/stages/stages.ts';
import { dynamoClientAdmin } from '../../shared/client/client-admin.dynamo.ts';
import { createDemoClients } from '../../shared/client/demo-clients.ts';
import { messageRowOf } from '../../shared/message/store/message-row.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newDelivery } from '../../shared/webhook/delivery-transitions.ts';
import { startCarrierServer } from '../support/carrier/carrier-server.ts';
import { aMessage } from '../support/webhook/example-webhook-message.ts';
import { apiGatewayEvent, scheduleEvent, snsNotification, sqsEvent, streamEvent } from './events.ts';
import { installRuntimeClient } from './install.ts';
import { invoke } from './runtime.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');
const client = await installRuntimeClient(localFolder);
console.log(`aws-lambda-ric, ${client.isWhole ? 'with its native addon' : 'without its native addon'}`);

const gateway = await startLocalGateway({
  port: 0,
  timeScale: 1000,
  cacheFolder: localFolder,
  logFolder: join(localFolder, 'lambda-runtime'),
  environment: process.env,
  progress: () => undefined,
  signal: new AbortController().signal,
});
/** Its list of people who opted out is empty. */
const carrier = await startCarrierServer();
carrier.answerWith({ result: { OptedOutNumbers: [] } });
const posts: string[] = [];
const endpoint = createServer((request, response) => {
  posts.push(String(request.headers['webhook-id']));
  response.writeHead(200).end();
}).listen(0, '127.0.0.1');
await once(endpoint, 'listening');
const scratch = mkdtempSync(join(tmpdir(), 'messaging-gateway-functions-'));
let passed = 0;
const failures: string[] = [];
try {
  aimAtEmulator(process.env, gateway.aws);
  const clients = await createDemoClients(dynamoClientAdmin(dynamo(), gateway.tables), new Date());
  const connection = connectionOf(gateway, clients);
  const deployed = await deployedFunctions();
  const [first] = deployed.values();
  if (first !== undefined) {
    for (const [name, variables] of Object.entries(onlyOnAws(connection.tables)))
      deployed.set(name, withVariables(first, variables));
  }
  const cases = await casesOf(connection);
  const wanted = bundleFunctions().functionNames;
  for (const [what, names] of [
    ['deployed', [...deployed.keys()]],
    ['given an event here', Object.keys(cases)],
  ] as const) {
    const missing = wanted.filter((name) => !names.includes(name));
    if (missing.length > 0) failures.push(`not ${what}: ${missing.join(', ')}`);
  }
  const broken = { ...first, Handler: 'index.absent' };
  const told = await faultOf('describe-api', broken, cases['describe-api'] as Case);
  if (told?.includes('HandlerNotFound') !== true)
    failures.push(`a handler that is absent goes unnoticed: ${told}`);
  for (const name of wanted) {
    const [configuration, aCase] = [deployed.get(name), cases[name]];
    if (configuration === undefined || aCase === undefined) continue;
    const fault = await faultOf(name, configuration, aCase);
    if (fault === undefined) passed += 1;
    else failures.push(`${name}: ${fault}`);
    console.log(`${name}: ${fault ?? aCase.says}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
  endpoint.close().closeAllConnections();
  await carrier.close();
  await gateway.stop();
}
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

interface Case {
  readonly event: unknown;
  /** What is asked of the response, for the output. */
  readonly says: string;
  /** What is wrong with the response, if anything is. */
  judge(response: unknown): string | undefined | Promise<string | undefined>;
}

/** By the name of their file, which ends their description. */
async function deployedFunctions(): Promise<Map<string, FunctionConfiguration>> {
  const found = new Map<string, FunctionConfiguration>();
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient({}) }, {})) {
    for (const one of Functions) found.set(String(one.Description).split(': ').at(-1) ?? '', one);
  }
  return found;
}

/** The functions of stages where AWS carries SMS, with their variables. */
function onlyOnAws(tables: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
  return {
    'report-verified': {
      MESSAGES_TABLE: tables.messages ?? '',
      ONE_TIME_PASSWORDS_TABLE: tables.one_time_passwords ?? '',
    },
    'compare-opt-outs': {
      MESSAGES_TABLE: tables.messages ?? '',
      SUPPRESSIONS_TABLE: tables.suppressions ?? '',
      SMS_OPT_OUT_LIST: 'Default',
      AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: carrier.url,
    },
  };
}

function withVariables(
  other: FunctionConfiguration,
  variables: Readonly<Record<string, string>>,
): FunctionConfiguration {
  const Variables = { LOG_LEVEL: 'INFO', RETENTION_DAYS: '30', ...variables };
  return { ...other, Handler: 'index.handler', Timeout: 300, Environment: { Variables } };
}

async function faultOf(name: string, deployed: FunctionConfiguration, { event, judge }: Case) {
  // As it is uploaded: with nothing of the project around it.
  const taskRoot = join(scratch, name);
  const { PRICES_FILE } = deployed.Environment?.Variables ?? {};
  const files = PRICES_FILE === undefined ? {} : { [PRICES_FILE]: JSON.stringify(stages.local.prices) };
  cpSync(bundleFunctions().folder(name, files), taskRoot, { recursive: true });
  const { response, error, output } = await invoke({
    client,
    taskRoot,
    handler: deployed.Handler ?? '',
    functionArn: deployed.FunctionArn ?? '',
    timeoutSeconds: deployed.Timeout ?? 3,
    environment: {
      ...deployed.Environment?.Variables,
      AWS_ENDPOINT_URL: gateway.aws.endpoint,
      AWS_REGION: gateway.aws.region,
      AWS_ACCESS_KEY_ID: gateway.aws.access_key_id,
      AWS_SECRET_ACCESS_KEY: gateway.aws.secret_access_key,
    },
    event,
  });
  const fault = error ?? (await judge(response));
  return fault === undefined ? undefined : `${fault}\n${JSON.stringify(response)}\n${output}`;
}

async function casesOf(connection: ReturnType<typeof connectionOf>): Promise<Readonly<Record<string, Case>>> {
  const { client_id, client_secret, api_key, admin, queues, tables } = connection;
  const authorized = { Authorization: `Bearer ${api_key}` };
  const call = async (method: string, path: string, body?: unknown, headers: object = authorized) => {
    const answer = await fetch(`${connection.base_url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const adminToken = await call('POST', '/api/v1/auth/token', {
    grant_type: 'client_credentials',
    client_id: admin.client_id,
    client_secret: admin.client_secret,
  });
  const to = '+447700900123';
  const silent = await call('POST', '/api/v1/sms/send', { to: '+15005550004', message: 'Hello' });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await call('POST', '/api/v1/sms/send', { to, message: 'Later', scheduled_at: later });
  const otp = await call('POST', '/api/v1/otp/send', { to });
  while ((await call('GET', `/api/v1/sms/status/${silent.message_id}`)).status !== 'sent') await pause(100);

  const http = (status: number, request: Parameters<typeof apiGatewayEvent>[0]): Case => ({
    event: apiGatewayEvent({ headers: authorized, ...request }),
    says: `answers ${status}`,
    judge: (response) => proxyFault(response, status),
  });
  const post = (status: number, resource: string, body: unknown): Case =>
    http(status, { method: 'POST', resource, body });
  const queue = (name: string, body: string): Case => ({
    event: sqsEvent(`arn:aws:sqs:${gateway.aws.region}:000000000000:${arnName(queues[name])}`, body),
    says: 'acknowledges its message',
    judge: noFailures,
  });
  const scheduledRun = (name: string): Case => ({
    event: scheduleEvent(name),
    says: 'ends without an error',
    judge: (response) => (response === null ? undefined : 'it returns a value that nothing reads'),
  });

  const now = new Date();
  const queued = aMessage({ message_id: newId('msg', now), client_id, webhook_url: undefined } as never);
  const stored = streamEvent(
    tables.messages ?? '',
    { message_id: { S: queued.message_id } },
    marshall(messageRowOf(queued, 30), { removeUndefinedValues: true }),
  );
  const delivery = newDelivery(
    {
      delivery_id: newId('whd', now),
      client_id,
      message_id: String(silent.message_id),
      event: 'sms.sent',
      url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`,
      body: JSON.stringify({ event: 'sms.sent', data: { message_id: silent.message_id } }),
      lane: 'fast',
    },
    now,
    30,
    'revision-1',
  );
  const postsBefore = posts.length;
  return {
    'issue-token': http(200, {
      method: 'POST',
      resource: '/api/v1/auth/token',
      headers: {},
      body: { grant_type: 'client_credentials', client_id, client_secret },
    }),
    'send-sms': post(202, '/api/v1/sms/send', { to, message: 'Hello' }),
    'send-bulk-sms': post(202, '/api/v1/sms/bulk', { message: 'Hello', recipients: [{ to }] }),
    'send-whatsapp': post(202, '/api/v1/whatsapp/send', { to, message: 'Hello' }),
    'send-otp': post(202, '/api/v1/otp/send', { to: '+447700900124' }),
    'verify-otp': post(200, '/api/v1/otp/verify', { otp_id: otp.otp_id, code: '000000' }),
    'get-message-status': http(200, {
      method: 'GET',
      resource: '/api/v1/sms/status/{message_id}',
      parameters: { message_id: String(silent.message_id) },
    }),
    'list-messages': http(200, { method: 'GET', resource: '/api/v1/messages', query: { limit: '1' } }),
    'cancel-message': http(200, {
      method: 'DELETE',
      resource: '/api/v1/messages/{message_id}',
      parameters: { message_id: String(scheduled.message_id) },
    }),
    'get-account': http(200, { method: 'GET', resource: '/api/v1/account' }),
    'update-account': http(200, {
      method: 'PATCH',
      resource: '/api/v1/account',
      body: { webhook_url: 'https://shop.example.com/hook' },
    }),
    'rotate-webhook-secret': post(200, '/api/v1/account/webhook-secret', {}),
    'webhook-endpoints': http(200, { method: 'GET', resource: '/api/v1/webhook-endpoints' }),
    suppressions: http(200, { method: 'GET', resource: '/api/v1/suppressions' }),
    'compare-opt-outs': {
      ...scheduledRun('compare-opt-outs'),
      says: 'reads the opt-out list of the carrier',
      judge: () =>
        carrier.operations.includes('DescribeOptedOutNumbers') ? undefined : 'it did not read the list',
    },
    'webhook-deliveries': http(200, { method: 'GET', resource: '/api/v1/webhook-deliveries' }),
    'refuse-unmatched': http(404, { method: 'GET', resource: '/{proxy+}', parameters: { proxy: 'nowhere' } }),
    'describe-api': http(200, { method: 'GET', resource: '/openapi.json' }),
    'admin-dashboard': http(200, { method: 'GET', resource: '/admin' }),
    'admin-api': http(200, {
      method: 'GET',
      resource: '/admin/api/{proxy+}',
      parameters: { proxy: 'clients' },
      headers: { Authorization: `Bearer ${adminToken.access_token}` },
    }),
    'dispatch-message': queue('outbound', JSON.stringify({ message_id: scheduled.message_id })),
    'deliver-webhook': {
      ...queue('webhooks', JSON.stringify({ delivery_id: delivery.delivery_id, delivery })),
      says: 'posts the webhook and acknowledges its message',
      judge: (response) =>
        noFailures(response) ?? (posts.length > postsBefore ? undefined : 'no webhook was posted'),
    },
    'record-receipt': queue('receipts', snsNotification(smsReceipt(String(silent.message_id), client_id))),
    'relay-changes': {
      event: stored,
      says: 'relays its record',
      judge: (response) => (response === null ? undefined : noFailures(response)),
    },
    'count-usage': {
      event: stored,
      says: 'counts its record',
      judge: (response) => (response === null ? undefined : noFailures(response)),
    },
    'report-verified': {
      event: streamEvent(
        tables.one_time_passwords ?? '',
        { otp_id: { S: 'otp_1' } },
        marshall({
          otp_id: 'otp_1',
          client_id,
          recipient: to,
          // Of no message, because there is no carrier to report to.
          message_id: 'msg_unknown',
          channel: 'sms',
          status: 'verified',
        }),
      ),
      says: 'reads its record, and has nothing to report',
      judge: (response) => (response === null ? undefined : 'it returns a value that nothing reads'),
    },
    'expire-messages': scheduledRun('expire-messages'),
    'sweep-webhooks': scheduledRun('sweep-webhooks'),
    'review-edited-rows': {
      event: streamEvent(
        tables.limit_overrides ?? '',
        { client_id: { S: client_id }, endpoint: { S: 'POST /api/v1/sms/send' } },
        marshall({ client_id, endpoint: 'POST /api/v1/sms/send', per_minute: 600 }),
      ),
      says: 'reviews the row of its record',
      judge: (response) => (response === null ? undefined : 'it returns a value that nothing reads'),
    },
  };
}

function arnName(queueUrl = ''): string {
  return queueUrl.split('/').at(-1) ?? '';
}

/** AWS End User Messaging SMS user guide, "Example event data": a delivered text. */
function smsReceipt(messageId: string, clientId: string): string {
  return JSON.stringify({
    eventType: 'TEXT_DELIVERED',
    eventVersion: '1.0',
    eventTimestamp: Date.now(),
    isFinal: true,
    originationPhoneNumber: '+12065550183',
    destinationPhoneNumber: '+15005550004',
    isoCountryCode: 'US',
    mcc: '310',
    mnc: '800',
    messageId: '862a8790-60c0-4430-9b2b-658bdexample',
    messageRequestTimestamp: Date.now() - 1000,
    messageEncoding: 'GSM',
    messageType: 'TRANSACTIONAL',
    messageStatus: 'DELIVERED',
    messageStatusDescription: 'Message has been accepted by phone',
    context: { message_id: messageId, client_id: clientId },
    totalMessageParts: 1,
    totalMessagePrice: 0.00581,
    totalCarrierFee: 0.00302,
  });
}

/** API Gateway developer guide, "Output format of a Lambda function for proxy integration": else it answers 502. */
function proxyFault(response: unknown, wantedStatus: number): string | undefined {
  if (typeof response !== 'object' || response === null) return 'it answers no object';
  const known = ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'];
  const {
    statusCode,
    headers = {},
    multiValueHeaders = {},
    body,
    isBase64Encoded,
  } = response as Record<string, unknown>;
  const unknown = Object.keys(response).filter((name) => !known.includes(name));
  if (unknown.length > 0) return `API Gateway takes no ${unknown.join(', ')}`;
  if (!isRecordOf(headers, (value) => typeof value === 'string')) return 'a header is no text';
  const areTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!isRecordOf(multiValueHeaders, areTexts)) return 'a header is no list of texts';
  if (body !== undefined && typeof body !== 'string') return 'the body is no text';
  if (isBase64Encoded !== undefined && typeof isBase64Encoded !== 'boolean')
    return 'isBase64Encoded is no boolean';
  return statusCode === wantedStatus ? undefined : `${String(statusCode)} is not ${wantedStatus}`;
}

function isRecordOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(holds);
}

/** Lambda developer guide, "Reporting batch item failures". */
function noFailures(response: unknown): string | undefined {
  return JSON.stringify(response) === '{"batchItemFailures":[]}'
    ? undefined
    : 'a message is not acknowledged';
}
