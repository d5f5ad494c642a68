/** What is the same request under an `Idempotency-Key`: whatever has the same meaning, and nothing else (contract 5.7). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds } from '../../../shared/platform/clock.ts';
import {
  aClient,
  ask,
  bytesOf,
  inMemorySends,
  type SendName,
  sendNames,
} from '../../support/message/sends.ts';

type Json = Record<string, unknown>;

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';
const other = '+447700900124';
const ahead = '2026-11-20T12:00:00.000Z';

const url = 'https://example.com/a';
const common = { to, webhook_url: 'https://example.com/hook', reference: 'r', scheduled_at: ahead };
const parameters = {
  header: 'Hi',
  body: { name: 'Ann', day: 'Monday' },
  buttons: ['track/42', { type: 'quick_reply', value: 'STOP', index: 1 }],
};

/** Requests of each send, between them with every field. */
const requests: Readonly<Record<SendName, readonly Json[]>> = {
  sms: [
    { to, message: 'Hello' },
    { ...common, message: 'Hello', from: 'ACME', type: 'promotional', validity_period: 600 },
  ],
  bulk: [
    { message: 'Hello', recipients: [to, other] },
    {
      message: 'Hello {{name}}',
      webhook_url: 'https://example.com/hook',
      from: 'ACME',
      reference: 'all',
      recipients: [
        { to, variables: { name: 'A', n: 1 }, reference: 'own' },
        { to: other, message: 'Own {{n}}', variables: { n: true } },
        { to: '+33', variables: { name: 'C' } },
        { to: '+447700900125', variables: { name: {} } },
      ],
    },
  ],
  otp: [
    { to },
    { to, channel: 'whatsapp', code_length: 8, ttl: 120, max_attempts: 3, purpose: 'login', reference: 'r' },
    { to, template: '{{code}} for {{brand}}', brand: 'ACME', webhook_url: 'https://example.com/hook' },
  ],
  whatsapp: [
    { to, message: 'Hello' },
    { ...common, type: 'text', message: 'Hello', validity_period: 600 },
    { to, type: 'template', template: { name: 'a', language: 'en', parameters } },
    { to, type: 'template', template: { name: 'a', language: 'en', parameters: { body: ['A', 'B'] } } },
    {
      to,
      type: 'template',
      template: { name: 'a', language: 'en', parameters: { header: { type: 'image', media: { url } } } },
    },
    { to, type: 'document', media: { id: '7', caption: 'A', filename: 'a.pdf' } },
    { to, type: 'location', location: { latitude: 51.5, longitude: -0.1, name: 'Here', address: 'There' } },
  ],
};

const defaults: Readonly<Record<SendName, Json>> = {
  sms: { type: 'transactional', validity_period: 259_200 },
  bulk: { type: 'transactional', validity_period: 259_200 },
  otp: { channel: 'sms', code_length: 6, ttl: 300, max_attempts: 5, purpose: 'default' },
  whatsapp: { type: 'text', validity_period: 259_200 },
};

/** Optional fields, by the fields that show what an object is: each may be null where it is not given. */
const optionalFields: readonly { readonly has: string; readonly may: readonly string[] }[] = [
  { has: 'url', may: ['id', 'caption', 'filename'] },
  { has: 'id', may: ['url', 'caption', 'filename'] },
  { has: 'latitude', may: ['name', 'address'] },
  { has: 'language', may: ['parameters'] },
];
const optionalOf: Readonly<Record<SendName, readonly string[]>> = {
  sms: ['webhook_url', 'from', 'type', 'validity_period', 'scheduled_at', 'reference'],
  bulk: ['webhook_url', 'from', 'type', 'validity_period', 'scheduled_at', 'reference', 'message'],
  otp: [
    ...['channel', 'code_length', 'ttl', 'max_attempts', 'purpose'],
    ...['template', 'brand', 'webhook_url', 'reference'],
  ],
  whatsapp: ['webhook_url', 'validity_period', 'scheduled_at', 'reference'],
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Change = (request: Json, name: SendName) => Json;

/** A change of each object in the request that is one of the API's own, and no named values of the client's. */
function inEach(change: (object: Json) => Json): (value: unknown, field?: string) => unknown {
  const walk = (value: unknown, field = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (value === null || typeof value !== 'object') return value;
    const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, key)]));
    return ['variables', 'body'].includes(field) ? inner : change(inner);
  };
  return walk;
}

function nullable(object: Json): Json {
  const may = optionalFields.flatMap(({ has, may }) => (has in object ? may : []));
  return { ...Object.fromEntries(may.map((field) => [field, null])), ...object };
}

const same: Readonly<Record<string, Change>> = {
  'unknown fields': (request) =>
    inEach((object) => ({ ...object, x_unknown: [1, { a: null }] }))(request) as Json,
  'another order of keys': (request) =>
    inEach((object) => Object.fromEntries(Object.entries(object).toReversed()))(request) as Json,
  'nulls on top': (request, name) => ({
    ...Object.fromEntries(optionalOf[name].map((field) => [field, null])),
    ...request,
  }),
  'nulls inside': (request) => inEach(nullable)(request) as Json,
  'nulls in rows': (request) =>
    'recipients' in request
      ? {
          ...request,
          recipients: (request.recipients as (string | Json)[]).map((row) =>
            typeof row === 'string'
              ? { to: row, variables: null, message: null, reference: null }
              : { message: null, reference: null, ...row },
          ),
        }
      : request,
  'empty variables': (request) =>
    'recipients' in request
      ? {
          ...request,
          recipients: (request.recipients as (string | Json)[]).map((row) =>
            typeof row === 'string' ? { to: row, variables: {} } : { variables: {}, ...row },
          ),
        }
      : request,
  'null variables': (request) =>
    inEach((object) =>
      isObject(object.variables) ? { ...object, variables: { ...object.variables, none: null } } : object,
    )(request) as Json,
  'numbers as texts': (request) =>
    inEach((object) =>
      isObject(object.variables)
        ? {
            ...object,
            variables: Object.fromEntries(
              Object.entries(object.variables).map(([key, value]) => [
                key,
                typeof value === 'object' ? value : String(value),
              ]),
            ),
          }
        : object,
    )(request) as Json,
  defaults: (request, name) => ({ ...defaults[name], ...request }),
  'defaults as nulls': (request, name) => ({
    ...Object.fromEntries(Object.keys(defaults[name]).map((field) => [field, null])),
    ...request,
  }),
  'the time with an offset': (request) =>
    typeof request.scheduled_at === 'string'
      ? { ...request, scheduled_at: '2026-11-20T13:00:00+01:00' }
      : request,
  'other spellings of numbers': (request) =>
    JSON.parse(JSON.stringify(request).replaceAll('"+44', '"+440')) as Json,
  'buttons in full': (request) =>
    JSON.parse(
      JSON.stringify(request).replace('"track/42"', '{"index":0,"value":"track/42","type":"url"}'),
    ) as Json,
};

/** A change of one field, or of one text or number somewhere inside. */
const different: Readonly<Record<string, Change>> = {
  'another recipient': (request) => JSON.parse(JSON.stringify(request).replaceAll('0123"', '0129"')) as Json,
  'another reference': (request) => ({ ...request, reference: 'another' }),
  'another webhook': (request) => ({ ...request, webhook_url: 'https://example.com/another' }),
  'another time to live': (request, name) =>
    name === 'otp' ? { ...request, ttl: 77 } : { ...request, validity_period: 77 },
  'another content': (request, name) => {
    if (name === 'otp') return { ...request, code_length: 9 };
    const text = JSON.stringify(request);
    const changes: readonly [string, string][] = [
      ['"Hello', '"Bye'],
      ['"name":"Ann"', '"name":"Anna"'],
      ['["A","B"]', '["B","A"]'],
      ['"type":"image"', '"type":"video"'],
      ['"caption":"A"', '"caption":"B"'],
      ['51.5', '51.6'],
    ];
    const [from = '', into = ''] = changes.find(([found]) => text.includes(found)) ?? [];
    return JSON.parse(text.replace(from, into)) as Json;
  },
};

const anyRequest = fc.constantFrom(
  ...sendNames.flatMap((name) => requests[name].map((request) => ({ name, request }))),
);
const sameChanges = fc.uniqueArray(fc.constantFrom(...Object.keys(same)), { minLength: 1, maxLength: 5 });

const changed = (
  changes: Readonly<Record<string, Change>>,
  names: readonly string[],
  request: Json,
  of: SendName,
) => names.reduce((json, change) => changes[change]?.(json, of) ?? json, request);

describe('a repeat under the same key', () => {
  it('with any change that keeps the meaning gets the first response, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, sameChanges, sameChanges, async ({ name, request }, before, after) => {
        const { operations, messages } = inMemorySends();
        const client = aClient();
        const first = await ask(operations[name], {
          client,
          now,
          body: changed(same, before, request, name),
          key: 'k',
        });
        const stored = messages.all().length;
        const again = await ask(operations[name], {
          client,
          now: addSeconds(now, 1),
          body: changed(same, after, request, name),
          key: 'k',
        });
        expect(again).toMatchObject({ status: 202, headers: { 'Idempotent-Replayed': 'true' } });
        expect(bytesOf(again)).toBe(bytesOf(first));
        expect(messages.all()).toHaveLength(stored);
      }),
      { numRuns: 150 },
    );
  });

  it('with any change of meaning is refused, whatever else is changed', async () => {
    const kind = fc.constantFrom(...Object.keys(different));
    await fc.assert(
      fc.asyncProperty(anyRequest, kind, sameChanges, async ({ name, request }, change, more) => {
        const { operations } = inMemorySends();
        const client = aClient();
        await ask(operations[name], { client, now, body: request, key: 'k' });
        const body = changed(same, more, changed(different, [change], request, name), name);
        await expect(ask(operations[name], { client, now, body, key: 'k' })).rejects.toMatchObject({
          status: 422,
          code: 'idempotency_key_reused',
        });
      }),
      { numRuns: 150 },
    );
  });
});

describe('a key', () => {
  it.each(sendNames)('as a quoted string is its content: %s', async (name) => {
    const { operations, messages } = inMemorySends();
    const client = aClient();
    const body = requests[name][0];
    const first = await ask(operations[name], { client, now, body, key: 'a-key' });
    const stored = messages.all().length;
    expect(bytesOf(await ask(operations[name], { client, now, body, key: '"a-key"' }))).toBe(bytesOf(first));
    expect(messages.all()).toHaveLength(stored);
  });

  it.each(['"a b"', `"${'a'.repeat(256)}"`])('%s is refused', async (key) => {
    const asked = { client: aClient(), now, body: requests.sms[0], key };
    await expect(ask(inMemorySends().operations.sms, asked)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
