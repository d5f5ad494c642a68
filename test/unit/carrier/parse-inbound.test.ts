/** Messages of people, in every form that AWS and Meta document. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTopicNotification } from '../../../shared/carrier/aws/aws-reports.ts';
import { metaReports } from '../../../shared/carrier/meta/meta-reports.ts';
import { twilioReports } from '../../../shared/carrier/twilio/twilio-reports.ts';
import {
  inboundWhatsApp,
  twoWaySms,
  whatsAppContents,
  whatsAppMessage,
} from '../../support/carrier/recorded-inbound.ts';
import { snsNotification, whatsAppStatus } from '../../support/carrier/recorded-receipts.ts';

const parse = (event: unknown) => parseTopicNotification(snsNotification(event));

describe('an SMS', () => {
  it('has its sender, our number, its text and the message that it answers; its time is that of the notification', () => {
    expect(parse(twoWaySms())).toEqual({
      receipts: [],
      unreadable: [],
      inbound: [
        {
          channel: 'sms',
          carrierMessageId: 'cae173d2-66b9-564c-8309-21f858e9fb84',
          person: '+14255550182',
          number: '+12125550101',
          text: 'EXAMPLE',
          receivedAt: new Date('2026-11-20T10:00:05.000Z'),
          repliesTo: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        },
      ],
    });
  });

  it.each([undefined, null, ''])('may answer no message (%p)', (previousPublishedMessageId) => {
    expect(parse(twoWaySms({ previousPublishedMessageId })).inbound[0]).not.toHaveProperty('repliesTo');
  });

  it('may be sent to a short code, and be empty', () => {
    const [sms] = parse(twoWaySms({ destinationNumber: '12345', messageBody: '' })).inbound;
    expect(sms).toMatchObject({ number: '12345', text: '' });
  });

  it('that was cut within a character is stored without its half', () => {
    expect(parse(twoWaySms({ messageBody: 'Thanks \ud83d' })).inbound[0]?.text).toBe('Thanks \ufffd');
  });

  it.each(['1'.repeat(16), 'ACME'])('from %s is set aside: nobody could be answered', (originationNumber) => {
    expect(() => parse(twoWaySms({ originationNumber }))).toThrow('originationNumber');
  });

  it('has the spelling of the number that a send has', () => {
    const [sms] = parse(twoWaySms({ originationNumber: '+4407700900123' })).inbound;
    expect(sms?.person).toBe('+447700900123');
  });
});

describe('a WhatsApp message', () => {
  it.each(Object.entries(whatsAppContents))('%s', (_name, { message, read }) => {
    expect(parse(inboundWhatsApp([whatsAppMessage(message)]))).toEqual({
      receipts: [],
      unreadable: [],
      inbound: [
        {
          channel: 'whatsapp',
          carrierMessageId: 'wamid.HBgMNDQ3NzAwOTAwMTIzFQIAEhgUexample',
          person: '+447700900123',
          number: '+447418367358',
          numberId: 'phone-number-id-976c72a700aac43eaf573ae050example',
          receivedAt: new Date('2026-11-20T10:00:03.271Z'),
          ...read,
        },
      ],
    });
  });

  it('names the message that it answers', () => {
    const context = { from: '447418367358', id: 'wamid.ours' };
    const text = { type: 'text', text: { body: 'Yes' }, context };
    expect(parse(inboundWhatsApp([whatsAppMessage(text)])).inbound[0]?.repliesTo).toBe('wamid.ours');
  });

  it('is read if the same entry has statuses', () => {
    const event = inboundWhatsApp([whatsAppMessage({ type: 'text', text: { body: 'Hi' } })]);
    const entry = JSON.parse(event.whatsAppWebhookEntry) as { changes: object[] };
    const statuses = { field: 'messages', value: { statuses: [whatsAppStatus()] } };
    const both = {
      ...event,
      whatsAppWebhookEntry: JSON.stringify({ changes: [...entry.changes, statuses] }),
    };
    const { receipts, inbound } = parse(both);
    expect([receipts.length, inbound.length]).toEqual([1, 1]);
  });

  it.each([
    ['of a type that is not known', { type: 'hologram', hologram: {} }],
    ['of an interactive type that is not known', { type: 'interactive', interactive: { type: 'dance' } }],
    ['of a type that JavaScript knows', { type: 'constructor' }],
    [
      'of an interactive type that JavaScript knows',
      { type: 'interactive', interactive: { type: 'toString' } },
    ],
    ['from a number with too many digits', { type: 'text', text: { body: 'Hi' }, from: '4'.repeat(16) }],
    ['without its content', { type: 'image' }],
    ['from a malformed id', { type: 'text', text: { body: 'Hi' }, from: undefined, from_user_id: 'USA.1' }],
    ['of no time', { type: 'text', text: { body: 'Hi' }, timestamp: 'now' }],
  ])('%s is reported, and the messages beside it are read', (_name, odd) => {
    const good = whatsAppMessage({ type: 'text', text: { body: 'Hi' } }, { id: 'wamid.good' });
    const { inbound, unreadable } = parse(inboundWhatsApp([whatsAppMessage(odd, odd), good], {}, []));
    expect(inbound.map(({ carrierMessageId }) => carrierMessageId)).toEqual(['wamid.good']);
    expect(unreadable).toHaveLength(1);
  });

  it('of a time that has not come yet is of now, so that a later START counts', () => {
    const message = whatsAppMessage({ type: 'text', text: { body: 'STOP' } }, { timestamp: '253402300799' });
    const { message_timestamp: _heard, ...unheard } = inboundWhatsApp([message]);
    expect(parse(inboundWhatsApp([message])).inbound[0]?.receivedAt).toEqual(
      new Date('2026-11-20T10:00:03.271Z'),
    );
    expect(parse(unheard).inbound[0]?.receivedAt).toEqual(new Date('2026-11-20T10:00:05.000Z'));
  });

  it.each([
    ['number', { type: 'user_changed_number', body: 'changed' }, '447700900123'],
    ['id', { type: 'user_changed_user_id', user_id: 'US.2' }, undefined],
  ])('that only says that a person has a new %s is no message', (_what, system, from) => {
    const message = whatsAppMessage({ type: 'system', system }, { from });
    expect(parse(inboundWhatsApp([message], {}, []))).toMatchObject({ inbound: [], unreadable: [] });
  });

  describe('of a person who may hide the number', () => {
    const number = '447700900123';
    const id = 'US.13491208655302741918';
    const profile = { name: 'Pablo', username: 'pablo' };

    it.each<[string, { from?: string; from_user_id?: string }, { wa_id?: string; user_id?: string }, string]>(
      [
        ['hides it', { from_user_id: id }, { user_id: id }, id],
        [
          'hides it, of a business with several portfolios',
          { from_user_id: 'US.ENT.1181' },
          {},
          'US.ENT.1181',
        ],
        ['hides it: from is empty', { from: '', from_user_id: id }, { wa_id: '', user_id: id }, id],
        ['hides it: from is the id', { from: id }, { wa_id: id }, id],
        ['hides it: only the contact names the id', {}, { user_id: id }, id],
        [
          'shows it beside the id',
          { from: number, from_user_id: id },
          { wa_id: number, user_id: id },
          `+${number}`,
        ],
        ['shows it in the contact only', { from_user_id: id }, { wa_id: number, user_id: id }, `+${number}`],
      ],
    )('who %s', (_what, names, contact, person) => {
      const message = whatsAppMessage(
        { type: 'text', text: { body: 'STOP' } },
        { from: undefined, ...names },
      );
      const published = inboundWhatsApp([message], {}, [{ profile, ...contact }]);
      const entry: unknown = JSON.parse(published.whatsAppWebhookEntry);
      const posted = JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] });
      const receivedAt = new Date('2026-11-20T10:00:05.000Z');
      const { from_user_id: user = contact.user_id ?? names.from } = names;
      for (const { inbound, unreadable } of [
        parse(published),
        metaReports.parse({ body: posted, path: 'events', query: {}, receivedAt }),
      ]) {
        expect(unreadable).toEqual([]);
        expect(inbound).toMatchObject([{ person, user, text: 'STOP', number: '+447418367358' }]);
      }
    });

    it.each([
      [`whatsapp:${id}`, `whatsapp:${id}`, id, id],
      [`whatsapp:+${number}`, id, `+${number}`, id],
      [`whatsapp:+${number}`, 'unreadable', `+${number}`, undefined],
    ])('is named by Twilio as %s, with the id %s', (From, ExternalUserId, person, user) => {
      const body = new URLSearchParams({
        MessageSid: 'SM1',
        From,
        ExternalUserId,
        To: 'whatsapp:+447418367358',
        Body: 'STOP',
      }).toString();
      const { inbound } = twilioReports.parse({ body, path: 'inbound', query: {}, receivedAt: new Date() });
      expect(inbound).toMatchObject([{ person, user, number: '+447418367358', text: 'STOP' }]);
    });
  });

  it('is read or reported for any values of its fields, and never thrown', () => {
    const odd = fc.record({
      type: fc.constantFrom(
        ...Object.values(whatsAppContents).map(({ message }) => Reflect.get(message, 'type')),
      ),
      text: fc.jsonValue(),
      image: fc.jsonValue(),
      interactive: fc.jsonValue(),
      reaction: fc.jsonValue(),
      context: fc.jsonValue(),
    });
    fc.assert(
      fc.property(odd, (message) => {
        const { inbound, unreadable } = parse(inboundWhatsApp([whatsAppMessage(message)]));
        expect(inbound.length + unreadable.length).toBe(1);
      }),
      { numRuns: 500 },
    );
  });
});
