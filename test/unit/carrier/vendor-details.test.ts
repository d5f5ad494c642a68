/** What one vendor documents and no other has: signatures of its own package, a challenge, codes, and odd reports. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseTopicNotification } from '../../../shared/carrier/aws/aws-reports.ts';
import { infobipReports } from '../../../shared/carrier/infobip/infobip-reports.ts';
import { metaReports } from '../../../shared/carrier/meta/meta-reports.ts';
import { twilioReports } from '../../../shared/carrier/twilio/twilio-reports.ts';
import { costOf, outcomeOfStatus } from '../../../shared/carrier/twilio/twilio-statuses.ts';
import { smsEvent, snsNotification } from '../../support/carrier/recorded-receipts.ts';
import { infobipVendor } from '../../support/carrier/vendors/infobip.ts';
import { metaVendor } from '../../support/carrier/vendors/meta.ts';
import { twilioVendor } from '../../support/carrier/vendors/twilio.ts';

const receivedAt = new Date('2026-11-20T10:00:02.000Z');
const attemptId = 'msg_01KAG00000000000000000000A.2';
const request = { method: 'POST', path: '', query: {}, headers: {}, body: Buffer.from('') } as const;

describe('Twilio', () => {
  const authToken = '12345678901234567890123456789012';
  const address = 'https://gateway.example.com/carriers/twilio';
  const sid = 'SM0123456789abcdef0123456789abcde';
  const account = 'AC0123456789abcdef0123456789abcdef';
  const credentials = [{ account_sid: account, from: '', auth_token: authToken }];
  const numbers = { From: '+447700900123', To: '+15005550006' };

  // Made by `getExpectedTwilioSignature` of the npm package twilio 6.2.0.
  it.each([
    [
      'LbePjnGHPwIKzsRS1ecq0jn6Sqs=',
      `${address}/receipts/msg_01KAG00000000000000000000A.1`,
      {
        MessageSid: `${sid}f`,
        MessageStatus: 'delivered',
        AccountSid: account,
        From: '+15005550006',
        To: '+447700900123',
        ApiVersion: '2010-04-01',
      },
    ],
    [
      'mAQpV8gUq7QG7EuwOqZOuEQyqDk=',
      `${address}/receipts/msg_01KAG00000000000000000000A.2`,
      {
        MessageSid: `${sid}f`,
        MessageStatus: 'undelivered',
        ErrorCode: '30005',
        AccountSid: account,
        From: '+15005550006',
        To: '+447700900123',
      },
    ],
    [
      'gB0HyioIrxBXVfMxdef59bCaEX4=',
      `${address}/inbound`,
      {
        ...numbers,
        MessageSid: `${sid}a`,
        Body: 'Grüß dich 👋 & "STOP" 50% +1',
        NumMedia: '0',
        FromCity: '',
        AccountSid: account,
      },
    ],
    [
      'czPkrJCoBhvmM0RdoYwu6KcGb94=',
      'http://localhost:3000/carriers/twilio/inbound?a=1&b=%20',
      { ...numbers, Body: '', MessageSid: `${sid}b` },
    ],
  ])('signs with its own package, and is believed (%s)', (signature, url, fields) => {
    const verify = (called: string, header: string) =>
      twilioReports.callbacks?.verify(
        {
          ...request,
          url: called,
          headers: { 'x-twilio-signature': header },
          body: Buffer.from(new URLSearchParams(fields).toString()),
        },
        credentials,
      );
    expect(verify(url, signature)).toBe(true);
    expect(verify(`${url}0`, signature)).toBe(false);
    expect(verify(url, signature.toLowerCase())).toBe(false);
  });
});

describe('a long text has one receipt for all of its segments, by', () => {
  const aws = (change: object) => parseTopicNotification(snsNotification(smsEvent(change))).receipts;

  it('AWS, with the price of all', () => {
    const receipts = aws({ totalMessageParts: 3, totalMessagePrice: 0.12, totalCarrierFee: 0.03 });
    expect(receipts).toMatchObject([{ transition: { to: 'delivered', cost: 0.15 } }]);
  });

  it('Infobip, with the price of one, which each of them costs', () => {
    const taken = {
      to: '+447700900123',
      attemptId,
      text: '',
      vendorId: '1',
      at: receivedAt,
      price: 0.031,
      outcome: 'delivered' as const,
    };
    const { text } = infobipVendor.report(taken, 'delivered');
    const body = text.replace('"messageCount":1', '"messageCount":3');
    const { receipts } = infobipReports.parse({ path: 'reports', query: {}, body, receivedAt });
    expect(receipts).toMatchObject([{ attempt: 2, transition: { to: 'delivered', cost: 0.093 } }]);
  });

  it('Twilio, which fails where a part of them did not arrive', () => {
    const path = `receipts/${attemptId}`;
    const of = (MessageStatus: string) =>
      twilioReports.parse({
        path,
        query: {},
        body: new URLSearchParams({ MessageSid: 'SM1', MessageStatus, NumSegments: '3' }).toString(),
        receivedAt,
      }).receipts;
    expect(of('delivered')).toMatchObject([{ attempt: 2, transition: { to: 'delivered' } }]);
    expect(of('partially_delivered')).toMatchObject([{ attempt: 2, transition: { to: 'failed' } }]);
  });

  it('Twilio, whose description has no status of a sent message that is not read', () => {
    const { components } = JSON.parse(readFileSync(twilioVendor.description, 'utf8')) as {
      readonly components: {
        readonly schemas: { readonly message_enum_status: { readonly enum: readonly string[] } };
      };
    };
    // Of messages from people, and of those that Twilio sends later, as we ask none to be.
    const notRead = ['receiving', 'received', 'scheduled'];
    const { enum: statuses } = components.schemas.message_enum_status;
    expect(statuses.filter((status) => outcomeOfStatus(status, '') === undefined).toSorted()).toEqual(
      notRead.toSorted(),
    );
  });
});

describe('a price that is no amount of money is left out, and the state counts, where it is reported by', () => {
  const infobip = (price: unknown, messageCount: unknown = 1) => {
    const report = { messageId: attemptId, status: { groupId: 3, id: 5 }, price, messageCount };
    const body = JSON.stringify({ results: [report] });
    return infobipReports.parse({ path: 'reports', query: {}, body, receivedAt }).receipts[0]?.transition;
  };

  it.each([
    [{ pricePerMessage: 0.05, currency: 'xxx' }, 1],
    [{ pricePerMessage: -0.05, currency: 'EUR' }, 1],
    [{ pricePerMessage: '0.05', currency: 'EUR' }, 1],
    [{ pricePerMessage: 1e308, currency: 'EUR' }, 1],
    [{ pricePerMessage: 0.05, currency: 'EUR' }, -1],
    [{ pricePerMessage: 0.05, currency: 'EUR' }, 'two'],
    [{ pricePerMessage: 0.05, currency: '€<b>' }, 1],
    [{ pricePerMessage: 0.05, currency: '' }, 1],
    [{ pricePerMessage: 0.05 }, 1],
    [null, 1],
    [7, null],
  ])('Infobip: %j of %j', (price, messageCount) => {
    const transition = infobip(price, messageCount);
    expect(transition?.to).toBe('delivered');
    expect(transition).not.toHaveProperty('cost');
    expect(transition).not.toHaveProperty('currency');
  });

  it('AWS', () => {
    const [receipt] = parseTopicNotification(snsNotification(smsEvent({ totalMessagePrice: -1 }))).receipts;
    expect(receipt?.transition.to).toBe('delivered');
    expect(receipt?.transition).not.toHaveProperty('cost');
  });

  it('Twilio', () => {
    expect(costOf({ price: '-0.0075', price_unit: 'usd' })).toEqual({ cost: 0.0075, currency: 'USD' });
    for (const price of ['', 'x', '1e308']) expect(costOf({ price, price_unit: 'USD' })).toEqual({});
    for (const price_unit of ['', '$', 'USD.m']) expect(costOf({ price: '-1', price_unit })).toEqual({});
  });

  it('Infobip, and it is one where the currency is in lower case', () => {
    expect(infobip({ pricePerMessage: 0.05, currency: 'eur' })).toMatchObject({
      cost: 0.05,
      currency: 'EUR',
    });
  });
});

describe('Infobip', () => {
  const parse = (body: object) =>
    infobipReports.parse({ path: 'reports', query: {}, body: JSON.stringify(body), receivedAt });
  const report = (more: object) => ({
    messageId: attemptId,
    status: { groupId: 3, id: 5 },
    error: { id: 0 },
    doneAt: '2026-11-20T11:00:01.000+0100',
    ...more,
  });

  it('reports of a repeated request, which changes nothing', () => {
    const { receipts } = parse({ results: [report({ status: { groupId: 5, id: 23 } })] });
    expect(receipts).toEqual([]);
  });

  it('reports of many messages together, of which one cannot be read', () => {
    const other = 'msg_01KAG00000000000000000000B.1';
    const { receipts, unreadable } = parse({
      results: [report({}), { messageId: 5, status: {} }, null, 7, report({ messageId: other })],
    });
    expect(receipts.map(({ messageId, attempt }) => [messageId, attempt])).toEqual([
      ['msg_01KAG00000000000000000000A', 2],
      ['msg_01KAG00000000000000000000B', 1],
    ]);
    expect(unreadable).toHaveLength(3);
  });

  it('reports nothing about our message by an id without an attempt, which we did not give', () => {
    const [receipt] = parse({ results: [report({ messageId: 'msg_01KAG00000000000000000000A' })] }).receipts;
    expect(receipt).not.toHaveProperty('messageId');
  });

  it.each([
    [{ groupId: 4, id: 15 }, { id: 27 }, 'expired', 'expired'],
    [{ groupId: 5, id: 12 }, { id: 0 }, 'failed', 'spend_limit_reached'],
    [{ groupId: 2, id: 9 }, { id: 1 }, 'failed', 'invalid_recipient'],
    [{ groupId: 2, id: 9 }, { id: 999_999 }, 'failed', 'unreachable'],
    [{ groupId: 5, id: 999 }, undefined, 'failed', 'carrier_rejected'],
  ])('reports status %j with error %j as %s, %s', (status, error, to, errorCode) => {
    const [receipt] = parse({ results: [report({ status, error })] }).receipts;
    expect(receipt?.transition).toMatchObject({ to, errorCode });
  });

  it('reports a time that has not come yet as the time at which it is received', () => {
    const [receipt] = parse({ results: [report({ doneAt: '2026-11-21T10:00:00.000+0000' })] }).receipts;
    expect(receipt?.transition.at).toEqual(receivedAt);
  });

  it.each(['x-hub-signature', 'x-infobip-signature', 'authorization'])(
    'signs in hexadecimal or base64, in a header such as %s',
    (name) => {
      const body = Buffer.from('{"results":[]}');
      const secret = infobipVendor.credentials.webhook_secret ?? '';
      const credentials = [{ api_key: '', from: '', webhook_secret: secret }];
      const made = createHmac('sha256', secret).update(body).digest();
      for (const value of [made.toString('hex'), made.toString('base64'), `sha256=${made.toString('hex')}`]) {
        const signed = { ...request, url: '', headers: { [name]: value }, body };
        expect(infobipReports.callbacks?.verify(signed, credentials)).toBe(true);
      }
      const plain = { ...request, url: '', headers: { [name]: secret }, body };
      expect(infobipReports.callbacks?.verify(plain, credentials)).toBe(false);
    },
  );
});

describe('Meta', () => {
  const credentials = ['the new one', 'the one before'].map((verify_token) => ({
    phone_number_id: '1',
    access_token: '',
    app_secret: '',
    verify_token,
  }));
  const challenge = (query: Readonly<Record<string, string>>) =>
    metaReports.callbacks?.answerChallenge?.({ ...request, method: 'GET', url: '', query }, credentials);
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444' };

  it('asks by a challenge, which is answered with either of two tokens', () => {
    for (const { verify_token } of credentials)
      expect(challenge({ ...query, 'hub.verify_token': verify_token })).toBe('1158201444');
  });

  it.each([
    { ...query },
    { ...query, 'hub.verify_token': '' },
    { ...query, 'hub.verify_token': 'the new one ' },
    { ...query, 'hub.verify_token': 'the new one', 'hub.mode': 'unsubscribe' },
    {},
  ])('asks in vain by %j', (asked) => {
    expect(challenge(asked)).toBeUndefined();
  });

  it('reports statuses under its own id where it leaves ours out', () => {
    const taken = {
      to: '+447700900123',
      attemptId,
      text: '',
      vendorId: 'wamid.A',
      at: receivedAt,
      price: 0,
      outcome: 'delivered' as const,
    };
    const { text } = metaVendor.report(taken, 'delivered');
    const body = text.replace(`,"biz_opaque_callback_data":"${attemptId}"`, '');
    const { receipts } = metaReports.parse({ path: 'webhook', query: {}, body, receivedAt });
    expect(receipts).toMatchObject([{ carrierMessageId: 'wamid.A', transition: { to: 'delivered' } }]);
    expect(receipts[0]).not.toHaveProperty('messageId');
  });

  it('reports nothing by an entry about the account', () => {
    const entry = [{ id: '1', changes: [{ field: 'account_update', value: { event: 'VERIFIED_ACCOUNT' } }] }];
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    const read = metaReports.parse({ path: 'webhook', query: {}, body, receivedAt });
    expect(read).toEqual({ receipts: [], inbound: [], unreadable: [] });
  });
});
