/** One event for each function, as its source on AWS sends it, and what is asked of the response. */
import { setTimeout as pause } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Connection } from '../../lib/local/connection.ts';
import { clientIdIn, syntheticClientId } from '../../shared/contract/mode.ts';
import { messageRowOf } from '../../shared/message/store/message-store.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newDelivery } from '../../shared/webhook/delivery.ts';
import { aMessage } from '../support/message/example-message.ts';
import { apiGatewayEvent, scheduleEvent, snsNotification, sqsEvent, streamEvent } from './events.ts';
import { noFailures, proxyFault } from './responses.ts';

export interface Case {
  readonly event: unknown;
  /** What is asked of the response, for the output. */
  readonly says: string;
  /** What is wrong with the response, if anything is. */
  judge(response: unknown): string | undefined | Promise<string | undefined>;
}

/** What the events name. */
interface Surroundings {
  readonly connection: Connection;
  /** An endpoint of webhooks, with the ids of those that came. */
  readonly endpoint: { readonly url: string; readonly posts: readonly string[] };
  readonly carrier: { readonly operations: readonly string[] };
}

export async function casesOf({
  connection,
  endpoint,
  carrier,
}: Surroundings): Promise<Readonly<Record<string, Case>>> {
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
    event: sqsEvent(`arn:aws:sqs:${connection.aws.region}:000000000000:${arnName(queues[name])}`, body),
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
      url: endpoint.url,
      body: JSON.stringify({ event: 'sms.sent', data: { message_id: silent.message_id } }),
      lane: 'fast',
    },
    now,
    30,
    'revision-1',
  );
  const postsBefore = endpoint.posts.length;
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
    'carrier-callback': http(403, {
      method: 'POST',
      resource: '/carriers/{carrier}/{proxy+}',
      parameters: { carrier: 'twilio', proxy: 'inbound' },
    }),
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
        noFailures(response) ?? (endpoint.posts.length > postsBefore ? undefined : 'no webhook was posted'),
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
    'synthetic-send': {
      ...scheduledRun('synthetic-send'),
      says: 'sends a message with a test token, and sees that it is delivered',
      judge: async () => {
        const { messages } = (await call(
          'GET',
          `/admin/api/messages?client_id=${clientIdIn('test', syntheticClientId)}`,
          undefined,
          { Authorization: `Bearer ${adminToken.access_token}` },
        )) as unknown as { readonly messages: readonly { readonly status: string }[] };
        return messages.some(({ status }) => status === 'delivered') ? undefined : 'no message was delivered';
      },
    },
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
