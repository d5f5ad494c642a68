/** A WhatsApp message is sent as Meta's JSON, and each response of the service has the right outcome. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { awsWhatsApp } from '../../../shared/carrier/aws/aws-whatsapp.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import { storedWhatsAppContent, type WhatsAppContent } from '../../../shared/message/whatsapp-content.ts';
import { environmentOf } from '../../../shared/platform/env.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';

const settings = {
  phoneNumberId: 'phone-number-id-976c72a700aac43eaf573ae050example',
  prices: { currency: 'USD', sms: {}, whatsapp: { default: 0.02 } },
  timeLimitMs: 5000,
} as const;
let server: CarrierServer;
let carrier: Carrier;

beforeAll(async () => {
  server = await startCarrierServer();
  Object.assign(process.env, carrierEnvironment(server.url));
  carrier = awsWhatsApp(settings);
});

beforeEach(() => server.answerWith({ id: '6d69f07a-c317-4278-9d5c-6a84078419ec' }));
afterAll(() => server.close());

async function sentFor(content?: object, body = ''): Promise<Record<string, unknown>> {
  const whatsapp = content && storedWhatsAppContent().parse(content);
  await carrier.handOver(
    handOverOf(aSendingMessage({ channel: 'whatsapp', ...(whatsapp && { whatsapp }) }), { text: body }),
  );
  const sent = server.requests.at(-1)?.body.message;
  return JSON.parse(Buffer.from(String(sent), 'base64').toString('utf8'));
}

describe('the request', () => {
  it('names the phone number and Meta’s version, and holds a text with our id', async () => {
    const meta = await sentFor(undefined, 'Grüß dich 👋');
    expect(server.requests.at(-1)).toMatchObject({
      service: 'whatsapp',
      body: {
        originationPhoneNumberId: 'phone-number-id-976c72a700aac43eaf573ae050example',
        metaApiVersion: 'v23.0',
      },
    });
    expect(meta).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+447700900123',
      type: 'text',
      text: { body: 'Grüß dich 👋' },
      biz_opaque_callback_data: 'msg_01KAG00000000000000000000A.1',
    });
  });

  it('names the phone number that was selected', async () => {
    const sender = { identity: 'phone-number-id-0123' };
    await carrier.handOver(handOverOf(aSendingMessage({ channel: 'whatsapp', sender }), { text: 'Hello' }));
    expect(server.requests.at(-1)?.body).toMatchObject({ originationPhoneNumberId: 'phone-number-id-0123' });
  });

  it('holds a template with positional values, a media header and buttons', async () => {
    const template = {
      name: 'order_shipped',
      language: 'en_GB',
      parameters: {
        header: { type: 'document', media: { url: 'https://example.com/a.pdf', filename: 'a.pdf' } },
        body: ['Ann', '42'],
        buttons: ['track/42', { type: 'quick_reply', value: 'STOP', index: 2 }],
      },
    };
    expect((await sentFor({ type: 'template', template })).template).toEqual({
      name: 'order_shipped',
      language: { policy: 'deterministic', code: 'en_GB' },
      components: [
        {
          type: 'header',
          parameters: [
            { type: 'document', document: { link: 'https://example.com/a.pdf', filename: 'a.pdf' } },
          ],
        },
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ann' },
            { type: 'text', text: '42' },
          ],
        },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'track/42' }] },
        {
          type: 'button',
          sub_type: 'quick_reply',
          index: '2',
          parameters: [{ type: 'payload', payload: 'STOP' }],
        },
      ],
    });
  });

  it('holds a template with named values and a text header', async () => {
    const template = {
      name: 'hello',
      language: 'en',
      parameters: { header: 'News', body: { first_name: 'Ann' } },
    };
    expect((await sentFor({ type: 'template', template })).template).toEqual({
      name: 'hello',
      language: { policy: 'deterministic', code: 'en' },
      components: [
        { type: 'header', parameters: [{ type: 'text', text: 'News' }] },
        { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ann' }] },
      ],
    });
  });

  it('holds no components for a template without parameters', async () => {
    const template = { name: 'hello_world', language: 'en_US' };
    expect((await sentFor({ type: 'template', template })).template).toEqual({
      name: 'hello_world',
      language: { policy: 'deterministic', code: 'en_US' },
    });
  });

  it.each([
    [
      { type: 'image', media: { url: 'https://example.com/a.png', caption: 'A' } },
      { link: 'https://example.com/a.png', caption: 'A' },
    ],
    [{ type: 'sticker', media: { id: '798882015472548' } }, { id: '798882015472548' }],
    [
      { type: 'document', media: { id: '7', filename: 'a.pdf' } },
      { id: '7', filename: 'a.pdf' },
    ],
    [
      { type: 'location', location: { latitude: 51.5, longitude: -0.12, name: 'Here' } },
      { latitude: '51.5', longitude: '-0.12', name: 'Here' },
    ],
  ] satisfies [WhatsAppContent, object][])('holds %j', async (content, meta) => {
    expect(await sentFor(content)).toMatchObject({ type: content.type, [content.type]: meta });
  });
});

describe('the response', () => {
  it('is the carrier’s id, with the expected price of one message', async () => {
    expect(
      await carrier.handOver(
        handOverOf(aSendingMessage({ channel: 'whatsapp', segments: 3 }), { text: 'Hi' }),
      ),
    ).toEqual({
      outcome: 'accepted',
      carrierMessageId: '6d69f07a-c317-4278-9d5c-6a84078419ec',
      cost: 0.02,
      currency: 'USD',
    });
  });

  it.each([
    ['InvalidParametersException', 400, 'content_rejected'],
    ['ValidationException', 400, 'content_rejected'],
    ['ResourceNotFoundException', 404, 'sender_rejected'],
  ])('%s is final, as %s', async (error, status, errorCode) => {
    server.answerWith({ status, error });
    const answer = await carrier.handOver(
      handOverOf(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hi' }),
    );
    expect(answer).toMatchObject({ outcome: 'refused', errorCode });
  });

  it.each([
    ['ThrottledRequestException', 429, 'throttled'],
    ['InternalServiceException', 500, 'not_taken'],
    ['AccessDeniedException', 403, 'not_taken'],
  ])(
    '%s means, after one request, that the message may be handed over again',
    async (error, status, outcome) => {
      server.answerWith({ status, error });
      const before = server.requests.length;
      expect(
        (await carrier.handOver(handOverOf(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hi' })))
          .outcome,
      ).toBe(outcome);
      expect(server.requests.length - before).toBe(1);
    },
  );

  it.each([['reset'], [{ status: 502, error: 'DependencyException' }]] as const)(
    '%j is thrown, after one request: the message may have been taken',
    async (answer) => {
      server.answerWith(answer);
      const before = server.requests.length;
      await expect(
        carrier.handOver(handOverOf(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hi' })),
      ).rejects.toThrow();
      expect(server.requests.length - before).toBe(1);
    },
  );

  it('no response within the time limit is thrown, without a second request', async () => {
    server.answerWith('hang');
    const before = server.requests.length;
    const withShortLimit = awsWhatsApp({ ...settings, timeLimitMs: 100 });
    const message = aSendingMessage({ channel: 'whatsapp' });
    await expect(withShortLimit.handOver(handOverOf(message, { text: 'Hi' }))).rejects.toThrow();
    // A slow machine may have sent none.
    expect(server.requests.length - before).toBeLessThanOrEqual(1);
  });
});

describe('a one-time password', () => {
  const otpMessage = aSendingMessage({
    channel: 'whatsapp',
    text: '{{code}} is your code',
    whatsapp: { type: 'text' },
  });
  const otp = { text: '123456 is your code', code: '123456' };

  async function sentBy(by: Carrier): Promise<Record<string, unknown>> {
    await by.handOver(handOverOf(otpMessage, otp));
    return JSON.parse(Buffer.from(String(server.requests.at(-1)?.body.message), 'base64').toString('utf8'));
  }

  it('goes as the stage’s authentication template, with the code in its body and its copy-code button', async () => {
    const withTemplate = awsWhatsApp({
      phoneNumberId: 'phone-number-id-976c72a700aac43eaf573ae050example',
      otpTemplate: 'verification_code/en_GB',
      prices: { currency: 'USD', sms: {}, whatsapp: {} },
      timeLimitMs: 5000,
    });
    const parameters = [{ type: 'text', text: '123456' }];
    expect(await sentBy(withTemplate)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+447700900123',
      type: 'template',
      template: {
        name: 'verification_code',
        language: { policy: 'deterministic', code: 'en_GB' },
        components: [
          { type: 'body', parameters },
          { type: 'button', sub_type: 'url', index: '0', parameters },
        ],
      },
      biz_opaque_callback_data: `${otpMessage.message_id}.1`,
    });
  });

  it('goes as a text where the stage has no such template', async () => {
    expect(await sentBy(carrier)).toMatchObject({ type: 'text', text: { body: '123456 is your code' } });
  });

  it('is named by WHATSAPP_OTP_TEMPLATE, which may be absent but not malformed', () => {
    const read = (value?: string) =>
      environmentOf<'dispatch-message'>({ WHATSAPP_OTP_TEMPLATE: value }).WHATSAPP_OTP_TEMPLATE;
    expect(read('verification_code/en_GB')).toBe('verification_code/en_GB');
    expect(read()).toBeUndefined();
    for (const wrong of ['', 'name', 'Name/en', 'name/english'])
      expect(() => read(wrong)).toThrow('WHATSAPP_OTP_TEMPLATE');
  });
});
