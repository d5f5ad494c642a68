import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { attemptOf } from '../../../shared/webhook/deliver/sign-and-post.ts';
import { claimDelivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import { created } from '../../support/message/example-message.ts';

const given = {
  delivery_id: 'whd_1',
  client_id: 'client-a',
  message_id: 'msg_1',
  event: 'sms.sent',
  url: 'https://endpoint.example.com/hook',
  body: '{}',
} as const;

function anAttempt(requestHeaders = {}, responseHeaders = {}) {
  return attemptOf(claimDelivery(newDelivery(given, created, 30, 'first'), created, 'held'), {
    startedAt: addSeconds(created, 0.25),
    endedAt: addSeconds(created, 1),
    requestHeaders,
    result: {
      timings: { dnsMs: 1.23, connectMs: 2.34, tlsMs: 3.45, firstByteMs: 700, totalMs: 701.26 },
      reusedConnection: false,
      address: '93.184.215.14',
      status: 503,
      headers: responseHeaders,
      bodyStart: 'a response',
      error: 'not_200',
      errorMessage: 'answered with status 503',
    },
  });
}

describe('the record of an attempt', () => {
  it('has the due time, the times of each phase, the lateness and the response', () => {
    expect(anAttempt()).toMatchObject({
      number: 1,
      trigger: 'automatic',
      due_at: created.toISOString(),
      started_at: addSeconds(created, 0.25).toISOString(),
      ended_at: addSeconds(created, 1).toISOString(),
      lateness_ms: 250,
      dns_ms: 1.2,
      connect_ms: 2.3,
      tls_ms: 3.5,
      first_byte_ms: 700,
      total_ms: 701.3,
      address: '93.184.215.14',
      status: 503,
      response_body: 'a response',
      error: 'not_200',
      error_message: 'answered with status 503',
    });
  });

  it('contains no signature, cookie or credential of request or response', () => {
    const { request_headers, response_headers } = anAttempt(
      {
        'X-Webhook-Signature': 'secret',
        'webhook-signature': 'secret',
        'webhook-id': 'whd_1',
        'user-agent': 'gateway',
      },
      {
        'set-cookie': 'secret',
        'www-authenticate': 'secret',
        'x-api-key': 'secret',
        'x-session-token': 'secret',
        date: 'today',
      },
    );
    expect(JSON.stringify([request_headers, response_headers])).not.toContain('secret');
    expect(request_headers).toMatchObject({ 'webhook-id': 'whd_1', 'user-agent': 'gateway' });
    expect(response_headers).toMatchObject({ date: 'today' });
  });
});
