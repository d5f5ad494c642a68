/** Twilio is asked as its API description says, and a message counts as not taken only with proof. */
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CarrierContext } from '../../../shared/carrier/carrier-module.ts';
import { twilio } from '../../../shared/carrier/twilio/twilio.ts';
import type { TwilioCredentials } from '../../../shared/carrier/twilio/twilio-descriptor.ts';
import { twilioReports } from '../../../shared/carrier/twilio/twilio-reports.ts';
import { messageErrorNotes } from '../../../shared/contract/message-error-notes.ts';
import { usualOnUnknown } from '../../../shared/contract/variables.ts';
import { nextHandOverStep } from '../../../shared/message/dispatch/next-step.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { type LocalServer, startServer } from '../../support/http/local-server.ts';
import { aSendingMessage, attemptRules, created, handOverOf } from '../../support/message/example-message.ts';

const sid = `SM${'0'.repeat(32)}`;
const account = `AC${'1'.repeat(32)}`;
let server: LocalServer;
const requests: {
  readonly method: string;
  readonly url: string;
  readonly auth: string;
  readonly form: object;
}[] = [];
let answer: { readonly status: number; readonly body: unknown } | 'reset';

beforeAll(async () => {
  server = await startServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      auth: request.headers.authorization ?? '',
      form,
    });
    if (answer === 'reset') return void request.socket.destroy();
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  });
});

afterAll(() => server.close());

beforeEach(() => {
  requests.length = 0;
  answer = { status: 201, body: { sid, status: 'queued', price: null } };
});

function context(change: Partial<CarrierContext<TwilioCredentials>> = {}): CarrierContext<TwilioCredentials> {
  return {
    credentials: async () => [
      { account_sid: account, auth_token: 'secret', from: '+15005550006', base_url: server.url },
    ],
    callbackUrl: (path) => `https://gateway.example.com/carriers/twilio/${path}`,
    prices: { currency: 'USD', sms: { GB: 0.04, default: 0.05 }, whatsapp: { default: 0.01 } },
    clock: () => created,
    timeLimitMs: 5000,
    env: {} as CarrierContext['env'],
    ...change,
  };
}

const carrier = (change = {}) => twilio.create('sms', context(change));
const handOver = (change = {}) => carrier(change).handOver(handOverOf(aSendingMessage(), { text: 'Hello' }));

describe('the request', () => {
  it('has the text, the sender, a validity within the limit, and the attempt in the address of the callback', async () => {
    expect(await handOver()).toEqual({
      outcome: 'accepted',
      carrierMessageId: sid,
      cost: 0.04,
      currency: 'USD',
    });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: `/2010-04-01/Accounts/${account}/Messages.json`,
        auth: `Basic ${Buffer.from(`${account}:secret`).toString('base64')}`,
        form: {
          To: '+447700900123',
          From: '+15005550006',
          Body: 'Hello',
          ValidityPeriod: '36000',
          StatusCallback:
            'https://gateway.example.com/carriers/twilio/receipts/msg_01KAG00000000000000000000A.1',
        },
      },
    ]);
  });

  it('names a Messaging Service as such, and the sender that was selected', async () => {
    const service = `MG${'2'.repeat(32)}`;
    await carrier().handOver(
      handOverOf(aSendingMessage({ sender: { identity: service } }), { text: 'Hello' }),
    );
    expect(requests[0]?.form).toMatchObject({ MessagingServiceSid: service });
    expect(requests[0]?.form).not.toHaveProperty('From');
  });
});

describe('the outcome', () => {
  it.each([
    [400, 21_211, { outcome: 'refused', errorCode: 'invalid_recipient' }],
    [400, 21_610, { outcome: 'refused', errorCode: 'recipient_opted_out' }],
    [400, 21_606, { outcome: 'refused', errorCode: 'sender_rejected', elsewhere: true }],
    [400, 29_999, { outcome: 'refused', errorCode: 'carrier_rejected', elsewhere: true }],
    [401, 20_003, { outcome: 'not_taken' }],
    [429, 20_429, { outcome: 'throttled' }],
  ])('%i with the code %i', async (status, code, expected) => {
    answer = { status, body: { code, message: 'No.', status } };
    expect(await handOver()).toMatchObject(expected);
  });

  it.each([
    ['reset'] as const,
    [{ status: 500, body: { code: 20_500 } }] as const,
    [{ status: 502, body: 'Bad gateway' }] as const,
    [{ status: 503, body: {} }] as const,
    [{ status: 201, body: {} }] as const,
  ])('%j leaves it unknown, after one request', async (given) => {
    answer = given;
    await expect(handOver()).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['failed', 21_610, { outcome: 'refused', errorCode: 'recipient_opted_out' }],
    ['undelivered', 30_034, { outcome: 'refused', errorCode: 'sender_rejected' }],
    ['queued', null, { outcome: 'accepted' }],
  ])('201 with the status %s and the code %j', async (status, error_code, expected) => {
    answer = { status: 201, body: { sid, status, error_code } };
    expect(await handOver()).toMatchObject(expected);
  });

  it('is that nothing was sent where nobody listens', async () => {
    const credentials = async () => [
      { account_sid: account, auth_token: 'secret', from: 'ACME', base_url: 'http://127.0.0.1:1' },
    ];
    expect(await handOver({ credentials })).toEqual({ outcome: 'not_taken', reason: 'ECONNREFUSED' });
  });

  it('has our own code and remedy for each code of Twilio', () => {
    for (const { code } of Object.values(twilio.errors.sms ?? {}))
      expect(messageErrorNotes[code].remedy).not.toBe('');
  });
});

describe('a look-up', () => {
  const message = aSendingMessage();
  const { attempt } = handOverOf(message, { text: 'Hello' });

  it('of a message that Twilio took has its state and price', async () => {
    const found = { sid, status: 'delivered', error_code: null, price: '-0.00750', price_unit: 'USD' };
    answer = { status: 200, body: found };
    expect(await carrier().lookup?.({ message, attempt, carrierMessageId: sid })).toMatchObject({
      carrierMessageId: sid,
      receipt: { attempt: 1, transition: { to: 'delivered', cost: 0.0075, currency: 'USD' } },
    });
  });

  it('of one whose id is not known asks nothing and proves nothing', async () => {
    expect(await carrier().lookup?.({ message, attempt })).toBeUndefined();
    expect(requests).toEqual([]);
  });
});

it.each([
  ['wait', 'wait'],
  ['send_again', 'hand_over'],
] as const)(
  'a lost message stays unknown beside one with the same recipient and text: `%s` decides',
  async (other, step) => {
    const { name, settledBy } = twilio.descriptor;
    const chosen = { ...carrier(), name, settledBy };
    expect(await handOver()).toMatchObject({ outcome: 'accepted' });
    const lost = aSendingMessage({ message_id: 'msg_01KAG00000000000000000000B' });
    answer = 'reset';
    await expect(chosen.handOver(handOverOf(lost, { text: 'Hello' }))).rejects.toThrow();
    const deadline = addSeconds(created, 300);
    const attempts = [
      { number: 1, carrier: name, at: created.toISOString(), deadline: deadline.toISOString() },
    ];
    const next = (now: Date) =>
      nextHandOverStep(
        { ...lost, attempts },
        [chosen],
        { ...attemptRules, onUnknown: { ...usualOnUnknown, other } },
        now,
      );
    expect(next(addSeconds(created, 60))).toEqual({ step: 'wait', until: deadline });
    expect(next(deadline)).toMatchObject({ step });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  },
);

describe('a report', () => {
  const parse = (path: string, fields: Record<string, string>) =>
    twilioReports.parse({
      path,
      query: {},
      body: new URLSearchParams(fields).toString(),
      receivedAt: created,
    });

  it.each([
    ['queued', {}, { to: 'sent' }],
    ['sent', {}, { to: 'sent' }],
    ['delivered', {}, { to: 'delivered' }],
    ['undelivered', { ErrorCode: '30003' }, { to: 'failed', errorCode: 'unreachable' }],
    ['partially_delivered', {}, { to: 'failed', errorCode: 'unknown' }],
    ['failed', { ErrorCode: '30036' }, { to: 'expired', errorCode: 'expired' }],
    ['failed', { ErrorCode: '39999' }, { to: 'failed', errorCode: 'carrier_rejected' }],
    ['failed', {}, { to: 'failed', errorCode: 'unknown' }],
  ])('of %s %j is a receipt of its attempt', (MessageStatus, more, transition) => {
    const { receipts } = parse('receipts/msg_01KAG00000000000000000000A.2', {
      MessageSid: sid,
      MessageStatus,
      From: '+15005550006',
      ...more,
    });
    const attempt = { messageId: 'msg_01KAG00000000000000000000A', attempt: 2, carrierMessageId: sid };
    // Of the numbers of a Messaging Service, the one that it chose.
    expect(receipts).toMatchObject([{ ...attempt, from: '+15005550006', transition }]);
  });

  it('of a message from a person has its text and numbers', () => {
    const { inbound } = parse('inbound', {
      MessageSid: sid,
      From: '+447700900123',
      To: '+15005550006',
      Body: 'STOP',
    });
    expect(inbound).toEqual([
      {
        channel: 'sms',
        carrierMessageId: sid,
        person: '+447700900123',
        number: '+15005550006',
        receivedAt: created,
        text: 'STOP',
      },
    ]);
  });

  it.each([
    ['receipts/elsewhere', { MessageSid: sid, MessageStatus: 'sent' }],
    ['receipts/msg_01KAG00000000000000000000A.1', { MessageSid: sid }],
    ['inbound', { MessageSid: sid }],
  ])('that cannot be read is not skipped: %s %j', (path, fields) => {
    expect(() => parse(path, fields)).toThrow();
  });
});
