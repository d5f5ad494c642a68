/** An SMS is sent once, and each response of the service has the right outcome. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { awsSms } from '../../../shared/carrier/aws/aws-sms.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const settings = {
  originationIdentity: '+12065550152',
  configurationSet: 'receipts',
  prices: { currency: 'USD', sms: { GB: 0.04 }, whatsapp: {} },
  timeLimitMs: 5000,
} as const;
let server: CarrierServer;
let carrier: Carrier;

beforeAll(async () => {
  server = await startCarrierServer();
  Object.assign(process.env, carrierEnvironment(server.url));
  carrier = awsSms(settings, () => now);
});

beforeEach(() => server.answerWith({ id: '862a8790-60c0-4430-9b2b-658bdexample' }));
afterAll(() => server.close());

describe('the request', () => {
  it('carries the text, the sender, the configuration set, the rest of the validity and our ids', async () => {
    await carrier.handOver(
      handOverOf(aSendingMessage({ expires_at: '2026-11-20T10:10:00.900Z' }), { text: 'Hello' }),
    );
    expect(server.requests.at(-1)).toEqual({
      service: 'sms',
      body: {
        DestinationPhoneNumber: '+447700900123',
        OriginationIdentity: '+12065550152',
        MessageBody: 'Hello',
        MessageType: 'TRANSACTIONAL',
        ConfigurationSetName: 'receipts',
        TimeToLive: 600,
        Context: {
          message_id: 'msg_01KAG00000000000000000000A',
          client_id: 'client-a',
          attempt_id: 'msg_01KAG00000000000000000000A.1',
        },
      },
    });
  });

  it('has the sender and the type of the message', async () => {
    await carrier.handOver(
      handOverOf(aSendingMessage({ from: 'ACME', type: 'promotional' }), { text: 'Hello' }),
    );
    expect(server.requests.at(-1)?.body).toMatchObject({
      OriginationIdentity: 'ACME',
      MessageType: 'PROMOTIONAL',
    });
  });

  it('has the sender that was selected, and the ids that India requires', async () => {
    const sender = { identity: 'ACMEIN', messages_per_second: 5, entity_id: '1101', template_id: '1107' };
    await carrier.handOver(
      handOverOf(aSendingMessage({ recipient: '+919876543210', sender }), { text: 'Hello' }),
    );
    expect(server.requests.at(-1)?.body).toMatchObject({
      OriginationIdentity: 'ACMEIN',
      DestinationCountryParameters: { IN_ENTITY_ID: '1101', IN_TEMPLATE_ID: '1107' },
    });
  });

  it.each([
    ['2026-11-20T10:00:02.000Z', 5],
    ['2026-11-30T10:00:00.000Z', 259_200],
  ])(
    'asks of a message that expires at %s for no time that the service refuses',
    async (expiresAt, seconds) => {
      await carrier.handOver(handOverOf(aSendingMessage({ expires_at: expiresAt }), { text: 'Hello' }));
      expect(server.requests.at(-1)?.body).toMatchObject({ TimeToLive: seconds });
    },
  );
});

describe('the response', () => {
  it('is the carrier’s id, with the expected price of all segments', async () => {
    expect(await carrier.handOver(handOverOf(aSendingMessage({ segments: 2 }), { text: 'Hello' }))).toEqual({
      outcome: 'accepted',
      carrierMessageId: '862a8790-60c0-4430-9b2b-658bdexample',
      cost: 0.08,
      currency: 'USD',
    });
  });

  it.each([
    ['ConflictException', 'DESTINATION_PHONE_NUMBER_OPTED_OUT', 'recipient_opted_out'],
    ['ConflictException', 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED', 'invalid_recipient'],
    ['ConflictException', 'DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION', 'country_not_supported'],
    ['ConflictException', 'RESOURCE_NOT_ACTIVE', 'carrier_rejected'],
    ['ValidationException', 'SENDER_ID_NOT_SUPPORTED', 'sender_rejected'],
    ['ValidationException', 'FIELD_VALIDATION_FAILED', 'carrier_rejected'],
    ['ServiceQuotaExceededException', 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT', 'spend_limit_reached'],
    ['ResourceNotFoundException', undefined, 'sender_rejected'],
    ['AccessDeniedException', 'ACCOUNT_DISABLED', 'carrier_rejected'],
  ])('%s %s is final, as %s', async (error, reason, errorCode) => {
    server.answerWith({ status: 400, error, fields: reason === undefined ? {} : { Reason: reason } });
    expect(await carrier.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }))).toMatchObject({
      outcome: 'refused',
      errorCode,
    });
  });

  it.each([
    [400, 'ThrottlingException', 'throttled'],
    [400, 'AccessDeniedException', 'not_taken'],
    [403, 'ExpiredTokenException', 'not_taken'],
    [500, 'InternalServerException', 'not_taken'],
    [503, 'ServiceUnavailable', 'not_taken'],
  ])(
    '%i %s means, after one request, that the message may be handed over again',
    async (status, error, outcome) => {
      server.answerWith({ status, error });
      const before = server.requests.length;
      expect((await carrier.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }))).outcome).toBe(
        outcome,
      );
      expect(server.requests.length - before).toBe(1);
    },
  );
});

describe('when it cannot be known whether the carrier has the message', () => {
  it.each([
    ['reset'],
    [{ status: 504, error: 'GatewayTimeout' }],
    [{ status: 502, error: 'BadGateway' }],
  ] as const)('%j is thrown, after one request', async (answer) => {
    server.answerWith(answer);
    const before = server.requests.length;
    await expect(carrier.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }))).rejects.toThrow();
    expect(server.requests.length - before).toBe(1);
  });

  it('no response within the time limit is thrown, without a second request', async () => {
    server.answerWith('hang');
    const before = server.requests.length;
    const withShortLimit = awsSms({ ...settings, timeLimitMs: 100 }, () => now);
    await expect(withShortLimit.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }))).rejects.toThrow();
    // A slow machine may have sent none.
    expect(server.requests.length - before).toBeLessThanOrEqual(1);
  });
});
