/** Each documented event becomes its transition, and a message that cannot be read is an error. */
import { EventType } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTopicNotification } from '../../../shared/carrier/aws/aws-reports.ts';
import { UnreadableNotification } from '../../../shared/carrier/carrier-notification.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { ignoredEventTypes, reportedEventTypes } from '../../../shared/contract/sms-event-types.ts';
import { inboundWhatsApp, whatsAppMessage } from '../../support/carrier/recorded-inbound.ts';
import {
  smsEvent,
  snsNotification,
  whatsAppEvent,
  whatsAppStatus,
} from '../../support/carrier/recorded-receipts.ts';

function smsTransition(change: object) {
  return parseTopicNotification(snsNotification(smsEvent(change))).receipts[0]?.transition;
}

function whatsAppTransition(change: object, header: object = {}) {
  return parseTopicNotification(snsNotification(whatsAppEvent([whatsAppStatus(change)], header))).receipts[0]
    ?.transition;
}

describe('an SMS event', () => {
  it('becomes a receipt with both ids, its time and what the client pays: the price and the carrier’s fee', () => {
    expect(parseTopicNotification(snsNotification(smsEvent())).receipts).toEqual([
      {
        messageId: 'msg_01KAFF00000000000000000000',
        carrierMessageId: '0d1ae9f2-60c0-4430-9b2b-658bdexample',
        from: '+447418367358',
        transition: {
          to: 'delivered',
          at: new Date('2026-11-20T10:00:03.470Z'),
          carrierMessageId: '0d1ae9f2-60c0-4430-9b2b-658bdexample',
          cost: 0.03907,
          currency: 'USD',
        },
      },
    ]);
  });

  it.each([
    ['TEXT_SUCCESSFUL', true, 'delivered'],
    ['TEXT_DELIVERED', true, 'delivered'],
    ['TEXT_SUCCESSFUL', false, 'sent'],
    ['TEXT_DELIVERED', false, 'sent'],
    ['TEXT_SENT', false, 'sent'],
    ['TEXT_TTL_EXPIRED', true, 'expired'],
  ])('%s, final: %s, is %s', (eventType, isFinal, to) => {
    expect(smsTransition({ eventType, isFinal })?.to).toBe(to);
  });

  it.each([
    ['TEXT_INVALID', 'invalid_recipient'],
    ['TEXT_INVALID_MESSAGE', 'content_rejected'],
    ['TEXT_SPAM', 'content_rejected'],
    ['TEXT_BLOCKED', 'carrier_blocked'],
    ['TEXT_CARRIER_BLOCKED', 'carrier_blocked'],
    ['TEXT_PROTECT_BLOCKED', 'country_not_supported'],
    ['TEXT_UNREACHABLE', 'unreachable'],
    ['TEXT_CARRIER_UNREACHABLE', 'unreachable'],
    ['TEXT_UNKNOWN', 'unknown'],
    ['TEXT_SOMETHING_NEW', 'carrier_rejected'],
  ] as const)('a final %s is failed, as %s', (eventType, errorCode) => {
    expect(smsTransition({ eventType })).toMatchObject({
      to: 'failed',
      errorCode,
      errorMessage: messageErrorCodes[errorCode],
    });
  });

  it.each([
    ['TEXT_CARRIER_UNREACHABLE', false],
    ['TEXT_UNKNOWN', false],
    ['TEXT_TTL_EXPIRED', false],
    ['VOICE_COMPLETED', true],
    ['MEDIA_DELIVERED', true],
  ])('%s, final: %s, changes nothing', (eventType, isFinal) => {
    expect(parseTopicNotification(snsNotification(smsEvent({ eventType, isFinal }))).receipts).toEqual([]);
  });

  it('without our id is found by the carrier’s id', () => {
    const [receipt] = parseTopicNotification(snsNotification(smsEvent({ context: undefined }))).receipts;
    expect(receipt).toMatchObject({ carrierMessageId: '0d1ae9f2-60c0-4430-9b2b-658bdexample' });
    expect(receipt?.messageId).toBeUndefined();
  });

  it('without a price keeps the expected one', () => {
    expect(smsTransition({ totalMessagePrice: undefined })).not.toHaveProperty('cost');
  });
});

describe('a WhatsApp event', () => {
  it('becomes a receipt under our id', () => {
    expect(parseTopicNotification(snsNotification(whatsAppEvent([whatsAppStatus()]))).receipts).toEqual([
      {
        messageId: 'msg_01KAFF00000000000000000000',
        from: 'phone-number-id-976c72a700aac43eaf573ae050example',
        transition: {
          to: 'delivered',
          at: new Date('2026-11-20T10:00:03.271Z'),
          carrierMessageId: '6d69f07a-c317-4278-9d5c-6a84078419ec',
        },
      },
    ]);
  });

  it.each(['sent', 'delivered', 'read'])('of status %s is that state', (status) => {
    expect(whatsAppTransition({ status })?.to).toBe(status);
  });

  it.each([
    ['hides', undefined],
    ['shows', '+447700900123'],
  ])('about a person who %s the number names the person’s id', (_what, number) => {
    const hidden = { recipient_id: number?.slice(1), recipient_user_id: 'US.13491208655302741918' };
    const event = snsNotification(whatsAppEvent([whatsAppStatus(hidden)]));
    expect(parseTopicNotification(event)).toMatchObject({
      receipts: [
        {
          messageId: 'msg_01KAFF00000000000000000000',
          transition: { to: 'delivered' },
          whatsAppUser: 'US.13491208655302741918',
          ...(number === undefined ? {} : { number }),
        },
      ],
      unreadable: [],
    });
  });

  it.each([
    [131026, 'unreachable'],
    [131062, 'invalid_recipient'],
    [131047, 'template_required'],
    [131050, 'recipient_opted_out'],
    [132001, 'template_rejected'],
    [131053, 'media_rejected'],
    [999999, 'carrier_rejected'],
  ])('failed with %i is failed, as %s', (code, errorCode) => {
    const errors = [{ code, title: 'As documented', error_data: { details: 'As documented' } }];
    expect(whatsAppTransition({ status: 'failed', errors })).toMatchObject({ to: 'failed', errorCode });
  });

  it('failed without a reason is failed, as unknown', () => {
    expect(whatsAppTransition({ status: 'failed' })).toMatchObject({ to: 'failed', errorCode: 'unknown' });
  });

  it('failed because it waited too long is expired', () => {
    expect(whatsAppTransition({ status: 'failed', errors: [{ code: 410 }] })?.to).toBe('expired');
  });

  it.each(['deleted', 'warning', 'played'])('of status %s changes nothing', (status) => {
    expect(whatsAppTransition({ status })).toBeUndefined();
  });

  it('without our id is found by each id that the carrier may have returned', () => {
    const event = whatsAppEvent([whatsAppStatus({ biz_opaque_callback_data: undefined })]);
    const receipts = parseTopicNotification(snsNotification(event)).receipts;
    expect(receipts.map((receipt) => receipt.carrierMessageId)).toEqual([
      '6d69f07a-c317-4278-9d5c-6a84078419ec',
      'wamid.HBgMNDQ3NzAwOTAwMTIzFQIAERgSexample',
    ]);
    expect(receipts[0]).not.toHaveProperty('messageId');
  });

  it('of several statuses is several receipts, in the order given', () => {
    const event = whatsAppEvent([whatsAppStatus({ status: 'read' }), whatsAppStatus({ status: 'sent' })]);
    expect(
      parseTopicNotification(snsNotification(event)).receipts.map((receipt) => receipt.transition.to),
    ).toEqual(['read', 'sent']);
  });

  it.each([
    ['heard of within the second', '2026-11-20T10:00:03.271279391Z', '2026-11-20T10:00:03.271Z'],
    ['heard of later', '2026-11-20T10:07:00Z', '2026-11-20T10:00:03.999Z'],
    ['heard of too early, by another clock', '2026-11-20T10:00:02Z', '2026-11-20T10:00:03.000Z'],
    ['heard of long before, by a wrong clock', '2026-11-20T09:58:00Z', '2026-11-20T09:58:00.000Z'],
    ['heard of at no known time', undefined, '2026-11-20T10:00:03.999Z'],
  ])('%s is put at the end of what Meta’s second leaves open', (_, heard, at) => {
    expect(whatsAppTransition({}, { message_timestamp: heard })?.at).toEqual(new Date(at));
  });

  it('of a customer’s own message changes nothing', () => {
    const incoming = inboundWhatsApp([whatsAppMessage({ type: 'text', text: { body: 'Hi' } })]);
    expect(parseTopicNotification(snsNotification(incoming)).receipts).toEqual([]);
  });
});

describe('a message that is not a receipt', () => {
  it.each([
    ['no JSON', 'hello'],
    ['no SNS notification', JSON.stringify(smsEvent())],
    ['a subscription’s confirmation', JSON.stringify({ Type: 'SubscriptionConfirmation', Message: '{}' })],
    ['a notification of something else', snsNotification('plain text')],
    ['an event without its id', snsNotification(smsEvent({ messageId: undefined }))],
    ['an event whose end is not told', snsNotification(smsEvent({ isFinal: 'yes' }))],
    ['an event of no time', snsNotification(smsEvent({ eventTimestamp: 'now' }))],
    ['a webhook entry that is no JSON', snsNotification({ whatsAppWebhookEntry: '{' })],
    ['null', 'null'],
  ])('%s is an error, not skipped', (_, body) => {
    expect(() => parseTopicNotification(body).receipts).toThrow(UnreadableNotification);
  });

  it.each([
    ['a status timed in milliseconds', { timestamp: 1795168803000 }],
    ['a status of no time', { timestamp: 'now' }],
  ])('%s cannot be read, and holds back no other status beside it', (_, odd) => {
    const body = snsNotification(whatsAppEvent([whatsAppStatus(odd), whatsAppStatus()]));
    const { receipts, unreadable } = parseTopicNotification(body);
    expect(receipts).toMatchObject([{ transition: { to: 'delivered' } }]);
    expect(unreadable).toEqual([expect.any(UnreadableNotification)]);
  });

  it('is either this error or receipts with a valid time, for any values of the fields', () => {
    const events = fc.oneof(
      fc.json(),
      fc.dictionary(fc.constantFrom(...Object.keys(smsEvent())), fc.jsonValue()).map((odd) => smsEvent(odd)),
      fc
        .record({
          timestamp: fc.jsonValue(),
          status: fc.constantFrom('sent', 'failed'),
          errors: fc.jsonValue(),
        })
        .map((odd) => whatsAppEvent([whatsAppStatus(odd)])),
    );
    fc.assert(
      fc.property(events, (event) => {
        try {
          for (const { transition } of parseTopicNotification(snsNotification(event)).receipts)
            transition.at.toISOString();
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableNotification);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is reported with the names of its fields, without their values', () => {
    const body = snsNotification(smsEvent({ eventTimestamp: '+447700900123' }));
    expect(() => parseTopicNotification(body).receipts).toThrow(
      'the SMS event does not have the documented form: eventTimestamp',
    );
  });
});

it.each([
  ['RCS_DELIVERED', 'delivered', 'rcs'],
  ['RCS_READ', 'read', 'rcs'],
  ['RCS_SENT', 'sent', undefined],
  ['RCS_FALLEN_BACK_TO_SMS', 'sent', undefined],
  ['TEXT_DELIVERED', 'delivered', undefined],
])('%s is %s, delivered by %s', (eventType, to, deliveredBy) => {
  expect(smsTransition({ eventType, isFinal: true })).toMatchObject({ to });
  expect(smsTransition({ eventType, isFinal: true })?.deliveredBy).toBe(deliveredBy);
});

it('the deployed gateway subscribes to every event of messages that AWS knows, and each has an outcome', () => {
  const known = Object.keys(EventType).filter((type) => !ignoredEventTypes.test(type));
  expect(reportedEventTypes.toSorted()).toEqual(known.toSorted());
  for (const eventType of reportedEventTypes) {
    const told = smsTransition({ eventType, isFinal: true })?.to;
    expect(['sent', 'delivered', 'read', 'failed', 'expired']).toContain(told);
  }
});
