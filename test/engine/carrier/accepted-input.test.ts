/** AWS accepts the form of every send that was answered with 202; what AWS would refuse is answered with 400. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { awsSms } from '../../../shared/carrier/aws/aws-sms.ts';
import { awsWhatsApp } from '../../../shared/carrier/aws/aws-whatsapp.ts';
import { senderSchema } from '../../../shared/contract/phone-number.ts';
import type { Message } from '../../../shared/message/message.ts';
import { parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { handOverBodies } from '../../../shared/otp/otp-hand-over.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';
import {
  fits,
  inputFaults,
  senderId,
  sendTextMessage,
  sendWhatsAppMessage,
} from '../../support/carrier/aws-models.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';
import { oneCarrierEach } from '../../support/doubles/no-senders.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';
import { aClient, ask, inMemorySends, type SendName, smallRequest } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const prices = { currency: 'USD', sms: {}, whatsapp: {} };
const to = '+447700900123';
const bodyOf = handOverBodies({
  all: async () => ['secret'],
  current: async () => 'secret',
  latest: async () => ['secret'],
});

let server: CarrierServer;
beforeAll(async () => {
  server = await startCarrierServer();
  Object.assign(process.env, carrierEnvironment(server.url));
});
beforeEach(() => server.answerWith({ id: '862a8790-60c0-4430-9b2b-658bdexample' }));
afterAll(() => server.close());

/** What AWS would refuse of the messages that a request leaves behind; undefined where the request is refused. */
async function faultsOf(name: SendName, body: object): Promise<string[] | undefined> {
  const { operations, messages } = inMemorySends();
  const asked = { client: aClient({ client_id: 'client_0a1b2c3d4e5f6g7h' }), now, body };
  const refused = await ask(operations[name], asked).then(
    () => undefined,
    ({ status }) => status,
  );
  if (refused !== undefined) {
    expect([400, 403]).toContain(refused);
    expect(messages.all()).toEqual([]);
    return undefined;
  }
  const faults: string[] = [];
  for (const message of messages.all()) faults.push(...(await faultsOfMessage(message)));
  return faults;
}

async function faultsOfMessage(message: Message): Promise<string[]> {
  const limits = { timeLimitMs: 5000, prices };
  const sms = awsSms({ ...limits, originationIdentity: 'pool-1', configurationSet: 'receipts' }, () =>
    addSeconds(now, 1),
  );
  const otpTemplate = 'code/en';
  const phoneNumberId = 'phone-number-id-976c72a700aac43eaf573ae050example';
  const whatsapp = awsWhatsApp({ ...limits, phoneNumberId, otpTemplate });
  const carrier = message.channel === 'sms' ? sms : whatsapp;
  const stored = parseMessageRow(JSON.parse(JSON.stringify(message)));
  const { outcome } = await carrier.handOver(handOverOf(stored, await bodyOf(stored)));
  expect(outcome).toBe('accepted');
  const { service, body = {} } = server.requests.at(-1) ?? {};
  if (service === 'sms') return inputFaults(sendTextMessage, body);
  const faults = inputFaults(sendWhatsAppMessage, body);
  const payload = JSON.parse(Buffer.from(String(body.message), 'base64').toString('utf8'));
  return [...faults, ...metaFaults(payload)];
}

interface MetaPayload {
  readonly type: string;
  readonly biz_opaque_callback_data: string;
  readonly text?: { readonly body: string };
  readonly template?: { readonly components?: readonly MetaComponent[] };
  readonly [content: string]: unknown;
}
interface MetaComponent {
  readonly parameters: readonly ({ readonly type: string; readonly text?: string } & Record<
    string,
    unknown
  >)[];
}

/** What Meta documents of its messages, and every message of the type must keep. */
function metaFaults(payload: MetaPayload): string[] {
  const faults: string[] = [];
  if ([...payload.biz_opaque_callback_data].length > 512) faults.push('biz_opaque_callback_data is too long');
  if (typeof payload[payload.type] !== 'object') faults.push(`there is no ${payload.type}`);
  const text = payload.text?.body;
  if (text !== undefined && (text.trim() === '' || [...text].length > 4096)) faults.push(`text is ${text}`);
  for (const { parameters } of payload.template?.components ?? []) {
    if (parameters.length === 0) faults.push('a component has no parameters');
    for (const parameter of parameters) {
      if (parameter[parameter.type] === undefined) faults.push(`a parameter has no ${parameter.type}`);
      if (parameter.text !== undefined && /[\n\r\t]| {5}/.test(parameter.text))
        faults.push('a parameter has lines');
    }
  }
  const media = [
    ...(['image', 'video', 'audio', 'document', 'sticker'].includes(payload.type)
      ? [payload[payload.type]]
      : []),
    ...(payload.template?.components ?? []).flatMap(({ parameters }) =>
      parameters
        .filter(({ type }) => ['image', 'video', 'document'].includes(type))
        .map((each) => each[each.type]),
    ),
  ] as { link?: string; id?: string }[];
  for (const { link, id } of media) {
    if ((link === undefined) === (id === undefined)) faults.push('media has not one of link and id');
  }
  return faults;
}

const blanks = fc
  .array(fc.constantFrom(...' \t\n\r\v\f\u001c\u001d\u001e\u001f\u0085\u00a0\u2028\u3000\ufeff'), {
    minLength: 1,
  })
  .map((parts) => parts.join(''));
const anyText = fc.oneof(
  blanks,
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom('😀'.repeat(1600), 'é'.repeat(1600), 'x'.repeat(1601), '\uffff', '{{code}}', '{{brand}}'),
);
const anySender = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9 _.:/+&-]{1,12}$/),
  fc.constantFrom('ACME', 'My Shop', 'A-B', '+4407700900100', '+447700900100', 'Ünal'),
);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const seconds = fc.integer({ min: 0, max: 300_000 });
const ahead = fc.integer({ min: 0, max: 200 * 86_400 }).map((after) => addSeconds(now, after).toISOString());

const numRuns = Math.max(100, Math.floor(runs.numRuns / 2));

async function neverRefused(name: SendName, request: fc.Arbitrary<object>): Promise<void> {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const faults = await faultsOf(name, body);
      if (faults !== undefined) accepted += 1;
      expect(faults ?? []).toEqual([]);
    }),
    { numRuns },
  );
  expect(accepted).toBeGreaterThan(0);
}

describe('an accepted request makes an input that AWS takes', () => {
  it('by SMS', async () => {
    const optional = { from: maybe(anySender), validity_period: maybe(seconds), scheduled_at: maybe(ahead) };
    await neverRefused(
      'sms',
      fc.record({ to: fc.constant(to), message: anyText, ...optional, reference: maybe(anyText) }),
    );
  });

  it('by a bulk', async () => {
    const variables = fc.record({ name: fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null)) });
    const message = fc.oneof(fc.constantFrom('{{name}}', 'Hello {{name}}', '{{other}}'), anyText);
    const number = fc.constantFrom(to, '+447700900124', '+4407700900124', '+33612345678', '+33');
    const row = fc.oneof(
      fc.record({ to: number, variables, message: maybe(message), reference: maybe(anyText) }),
      number,
    );
    const recipients = fc.array(row, { minLength: 1, maxLength: 5 });
    await neverRefused('bulk', fc.record({ message, recipients, from: maybe(anySender) }));
  });

  it('by a one-time password', async () => {
    const template = anyText.map((text) => `${text}{{code}}`);
    const channel = maybe(fc.constantFrom('sms', 'whatsapp'));
    const more = { channel, brand: maybe(anyText), code_length: maybe(fc.integer({ min: 3, max: 11 })) };
    await neverRefused(
      'otp',
      fc.record({ to: fc.constant(to), template: maybe(template), ...more, ttl: maybe(seconds) }),
    );
  });

  it('by WhatsApp', async () => {
    const url = 'https://example.com/a';
    const media = fc.record({
      url: maybe(fc.constant(url)),
      id: maybe(fc.constant('7')),
      caption: maybe(anyText),
      filename: maybe(anyText),
    });
    const type = fc.constantFrom('image', 'video', 'document', 'text', 'location');
    const texts = fc.oneof(
      fc.array(anyText, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'type', 'media'), anyText),
    );
    const header = fc.oneof(anyText, fc.record({ type: maybe(type), media: maybe(media) }), texts);
    const button = fc.oneof(
      anyText,
      fc.record({
        type: fc.constantFrom('url', 'quick_reply', 'copy_code'),
        value: anyText,
        index: maybe(fc.nat(10)),
      }),
    );
    const parameters = fc.record({
      header: maybe(header),
      body: maybe(texts),
      buttons: maybe(fc.array(button, { maxLength: 3 })),
    });
    const template = fc.record({
      name: fc.constant('a'),
      language: fc.constant('en'),
      parameters: maybe(parameters),
    });
    const location = fc.record({ latitude: fc.double(), longitude: fc.double(), name: maybe(anyText) });
    const content = fc.oneof(
      fc.record({ type: fc.constantFrom('text', undefined), message: anyText }),
      fc.record({ type: fc.constant('template'), template }),
      fc.record({ type: fc.constantFrom('image', 'video', 'audio', 'document', 'sticker'), media }),
      fc.record({ type: fc.constant('location'), location }),
    );
    await neverRefused(
      'whatsapp',
      content.map((given) => ({ to, ...given })),
    );
  });

  it('whatever its sender: a number, or a sender ID of AWS', () => {
    fc.assert(
      fc.property(anySender, (from) => {
        const sender = senderSchema.safeParse(from);
        if (sender.success && !sender.data.startsWith('+')) expect(fits(senderId, sender.data)).toBe(true);
      }),
      runs,
    );
  });
});

describe('what AWS always refuses', () => {
  it.each([
    ['a sender with a space', 'sms', { from: 'My Shop' }, 'from'],
    ['a sender with an underscore at its end', 'sms', { from: 'ACME_' }, 'from'],
    ['a blank text', 'sms', { message: ' \n\u00a0' }, 'message'],
    ['a blank WhatsApp text', 'whatsapp', { message: '\t' }, 'message'],
    ['a sender of a bulk with a space', 'bulk', { from: 'My Shop' }, 'from'],
  ] as const)('%s is 400', async (_, name, change, field) => {
    const asked = { client: aClient(), now, body: { ...smallRequest(name, to), ...change } };
    await expect(ask(inMemorySends().operations[name], asked)).rejects.toMatchObject({
      status: 400,
      details: [{ field }],
    });
  });

  it('a row that is blank once it is rendered is reported, and the others are sent', async () => {
    const { operations } = inMemorySends();
    const recipients = [
      { to, variables: { name: ' ' } },
      { to: '+447700900124', variables: { name: 'A' } },
      { to: '+447700900125', message: '\n' },
    ];
    const { body } = await ask(operations.bulk, {
      client: aClient(),
      now,
      body: { message: '{{name}}', recipients },
    });
    expect(body).toMatchObject({
      accepted: 1,
      errors: [
        { index: 0, error: 'invalid_row', message: 'The message with its values must not be blank.' },
        { index: 2, error: 'invalid_row' },
      ],
    });
  });
});

it('AWS takes the sender of every row that is valid', async () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.stringMatching(/^(pool-|phone-|phone-number-id-|\+44|\+1)?[A-Za-z0-9 _.:/+-]{0,20}$/),
    fc.constantFrom('ACME', '+44 (0)7700 900-100', '12345', 'pool-1', '1101456789012345678', 7),
  );
  const row = fc.record(
    {
      client_id: fc.constant('client_0a1b2c3d4e5f6g7h'),
      destination: fc.constantFrom('sms IN', 'sms *', 'whatsapp *'),
      identity: value,
      entity_id: value,
      template_id: value,
    },
    { requiredKeys: ['client_id', 'destination', 'identity'] },
  );
  await fc.assert(
    fc.asyncProperty(row, async (typed) => {
      const channel = typed.destination.startsWith('sms') ? 'sms' : 'whatsapp';
      const { sender } = selectSender([parseSenderRow(typed)], { channel, country: 'IN' }, oneCarrierEach);
      // The id of a number at Meta is refused without a call.
      if (sender === undefined || (channel === 'whatsapp' && /^\d+$/.test(sender.identity))) return;
      const recipient = '+919876543210';
      const message = aSendingMessage({
        channel,
        recipient,
        sender,
        ...(channel === 'sms' ? {} : { whatsapp: { type: 'text' } }),
      });
      expect(await faultsOfMessage(message)).toEqual([]);
    }),
    runs,
  );
});
